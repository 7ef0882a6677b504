/// One step of the schema: forward only, and frozen once it is released.
public struct Migration: Sendable, Hashable {
    /// 1, 2, 3 and so on: the file's `user_version` after this step.
    public let version: Int
    public let name: String
    /// One or more statements; no BEGIN or COMMIT, the migrator has them.
    public let sql: String

    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}
