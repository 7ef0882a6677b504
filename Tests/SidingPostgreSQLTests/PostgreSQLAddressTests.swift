// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization
import Testing

@testable import SidingPostgreSQL

struct PostgreSQLAddressTests {
    private func parameters(_ address: String) throws -> [String: String] {
        let library = try PostgreSQLLibrary.load(PostgreSQLLibrary.defaultName)
        let address = try PostgreSQLAddress(PostgreSQLSettings(address: address, password: "pass word"), library)
        return Dictionary(address.parameters.map { ($0.keyword, $0.value) }) { $1 }
    }

    @Test(arguments: [
        "postgresql://siding@hub.example.com/fleet", "host=10.0.0.7 dbname=fleet", "host=localhost,hub.example.com",
        "postgresql://127.evil.example.com/fleet", "host=localhost hostaddr=10.0.0.7",
    ])
    func `TLS with a verified certificate is the default for other machines`(address: String) throws {
        let parameters = try parameters(address)
        #expect(parameters["sslmode"] == "verify-full")
        #expect(parameters["sslrootcert"] != nil)
        #expect(parameters["dbname"] == address)
        #expect(parameters["password"] == "pass word")
    }

    @Test(arguments: [
        "dbname=fleet", "postgresql:///fleet", "host=/run/postgresql", "host=localhost", "host=127.0.0.2,::1",
        "postgresql://[::1]:5433/fleet", "host=hub.example.com sslmode=require", "host=hub hostaddr=127.0.0.1",
        "postgresql://hub.example.com/fleet?sslmode=disable",
    ])
    func `TLS is libpq's own matter on this machine, and as the address says`(address: String) throws {
        let parameters = try parameters(address)
        #expect(parameters["sslmode"] == nil)
        #expect(parameters["sslrootcert"] == nil)
    }

    @Test func `a chosen certificate is kept, and a chosen verify-full gets the system's`() throws {
        #expect(try parameters("host=hub sslrootcert=/mine.crt")["sslrootcert"] == nil)
        #expect(try parameters("host=hub sslmode=verify-full")["sslrootcert"] != nil)
    }

    @Test(arguments: [
        ("fleet", "missing \"…\" in connection info string"),
        ("host=hub password=two words-secret", "missing \"…\" in connection info string"),
        ("host=hub hots=secret", "invalid connection option \"…\""),
        ("host=hub sslmode=secret", "invalid sslmode value: \"…\""),
    ])
    func `an address that is not understood is invalid, and no error shows a part of it`(
        address: String, message: String
    ) {
        #expect(
            throws: PostgreSQLError(
                .invalidAddress, "the address is invalid: \(message)",
                hint: "Write postgresql://USER@HOST/DATABASE, host=… dbname=…, or service=…")
        ) { try parameters(address) }
    }
}
