// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Copies the database as of one moment to a new file, which must not exist. Writers may go on meanwhile.
    package func backup(to destination: String) async throws(StoreError) {
        guard !FileSystem.exists(destination) else {
            throw StoreError(.inaccessible, "\(destination) exists already", hint: "name a file that does not exist")
        }
        do { try await DatabaseReader.open(at: path).backup(to: destination) } catch {
            throw StoreError(mapping: error)
        }
    }
}
