// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingCLI

/// The third-party licences of the executable, and its bill of materials.
@Suite struct LicensesTests {
    /// The names of the packages that the tested executable has in it.
    private static func linkedPackages(_ sandbox: Sandbox) async throws -> [String] {
        try await PackagedFiles.script("linked-packages", PackagedFiles.build(), in: sandbox).lines.map {
            URL(filePath: String($0)).lastPathComponent
        }
    }

    @Test func `every package in the executable has its licence in --licenses`() async throws {
        let packages = try await Self.linkedPackages(Sandbox())
        #expect(packages.count > 15)
        let named = ThirdPartyLicenses.text.split(separator: "\n").filter { $0.hasPrefix("Licence of ") }
            .flatMap { $0.dropFirst("Licence of ".count).split(separator: ", ").map(String.init) }
        for package in packages { #expect(named.contains(package), "\(package): run .ci/licenses") }
    }

    @Test(arguments: [["--licenses"], ["--licenses", "sync"]])
    func `siding --licenses prints the licences, and does nothing else`(arguments: [String]) async throws {
        let outcome = try await Sandbox().siding(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        #expect(outcome.output.contains("Licence of Yams"))
        #expect(outcome.output.contains("Apache License"))
    }

    @Test func `the bill of materials has every package in the executable, with version and licence`() async throws {
        struct Bill: Decodable {
            struct Component: Decodable {
                struct License: Decodable { let expression: String }
                let name: String
                let version: String?
                let purl: String?
                let licenses: [License]?
            }
            let bomFormat: String
            let components: [Component]
        }
        let sandbox = try Sandbox()
        let printed = try await PackagedFiles.script("sbom", PackagedFiles.build(), in: sandbox).output
        let bill = try JSONDecoder().decode(Bill.self, from: Data(printed.utf8))
        #expect(bill.bomFormat == "CycloneDX")
        for package in try await Self.linkedPackages(sandbox) {
            let component = try #require(bill.components.first { $0.name == package.lowercased() }, "\(package)")
            let version = try #require(component.version, "\(package)")
            #expect(component.purl?.hasSuffix("@\(version)") == true, "\(package)")
            #expect(component.licenses?.isEmpty == false, "\(package)")
        }
    }
}
