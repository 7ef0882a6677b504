// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The functions of libpq that this module calls, loaded at run time, so that only programs that connect to PostgreSQL need
/// the library.
///
/// The names are those of PostgreSQL's documentation, chapter "libpq — C Library".
struct PostgreSQLLibrary: Sendable {
    /// A `PGconn *`.
    typealias Connection = OpaquePointer
    /// A `PGresult *`.
    typealias Result = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Texts = UnsafePointer<Text?>
    /// A `PQconninfoOption *`; C functions of Swift take no pointer to a structure of Swift, ``PostgreSQLOption``.
    typealias Options = UnsafeMutableRawPointer
    typealias NoticeProcessor = @convention(c) (UnsafeMutableRawPointer?, Text?) -> Void

    // Connections
    let PQconnectStartParams: @Sendable @convention(c) (Texts, Texts, Int32) -> Connection?
    let PQconnectPoll: @Sendable @convention(c) (Connection) -> Int32
    let PQfinish: @Sendable @convention(c) (Connection) -> Void
    let PQconninfo: @Sendable @convention(c) (Connection) -> Options?
    let PQconninfoParse: @Sendable @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Options?
    let PQconninfoFree: @Sendable @convention(c) (Options) -> Void
    let PQconnectionNeedsPassword: @Sendable @convention(c) (Connection) -> Int32
    let PQstatus: @Sendable @convention(c) (Connection) -> Int32
    let PQtransactionStatus: @Sendable @convention(c) (Connection) -> Int32
    let PQsslInUse: @Sendable @convention(c) (Connection) -> Int32
    let PQsocket: @Sendable @convention(c) (Connection) -> Int32
    let PQerrorMessage: @Sendable @convention(c) (Connection) -> Text?
    let PQsetnonblocking: @Sendable @convention(c) (Connection, Int32) -> Int32
    let PQsetErrorVerbosity: @Sendable @convention(c) (Connection, Int32) -> Int32
    let PQsetNoticeProcessor:
        @Sendable @convention(c) (Connection, NoticeProcessor, UnsafeMutableRawPointer?) -> OpaquePointer?
    // Statements
    let PQsendQuery: @Sendable @convention(c) (Connection, Text) -> Int32
    let PQsendQueryParams:
        @Sendable @convention(c) (
            Connection, Text, Int32, UnsafePointer<UInt32>?, Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
        ) -> Int32
    let PQflush: @Sendable @convention(c) (Connection) -> Int32
    let PQconsumeInput: @Sendable @convention(c) (Connection) -> Int32
    let PQisBusy: @Sendable @convention(c) (Connection) -> Int32
    let PQgetResult: @Sendable @convention(c) (Connection) -> Result?
    let PQputCopyData: @Sendable @convention(c) (Connection, UnsafeRawPointer?, Int32) -> Int32
    let PQputCopyEnd: @Sendable @convention(c) (Connection, Text?) -> Int32
    // Results
    let PQresultStatus: @Sendable @convention(c) (Result) -> Int32
    let PQresultErrorMessage: @Sendable @convention(c) (Result) -> Text?
    let PQresultErrorField: @Sendable @convention(c) (Result, Int32) -> Text?
    let PQntuples: @Sendable @convention(c) (Result) -> Int32
    let PQnfields: @Sendable @convention(c) (Result) -> Int32
    let PQfname: @Sendable @convention(c) (Result, Int32) -> Text?
    let PQgetvalue: @Sendable @convention(c) (Result, Int32, Int32) -> UnsafeRawPointer?
    let PQgetlength: @Sendable @convention(c) (Result, Int32, Int32) -> Int32
    let PQgetisnull: @Sendable @convention(c) (Result, Int32, Int32) -> Int32
    let PQcmdStatus: @Sendable @convention(c) (Result) -> Text?
    let PQcmdTuples: @Sendable @convention(c) (Result) -> Text?
    let PQclear: @Sendable @convention(c) (Result) -> Void
    // The library
    let PQfreemem: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
    let PQlibVersion: @Sendable @convention(c) () -> Int32

    /// The name by which the dynamic linker finds the library on every Linux.
    static let defaultName = "libpq.so.5"
    private static let loaded = Mutex<[String: PostgreSQLLibrary]>([:])

    /// The library of this name, loaded once in a process. A failure is not remembered: the package may be installed later.
    static func load(_ name: String) throws(PostgreSQLError) -> PostgreSQLLibrary {
        let known = loaded.withLock { $0[name] }
        if let known { return known }
        let library = try PostgreSQLLibrary(loading: name)
        loaded.withLock { $0[name] = library }
        return library
    }

    private init(loading name: String) throws(PostgreSQLError) {
        // RTLD_LOCAL: what libpq brings along (OpenSSL, Kerberos) must not meet symbols of the same name in this program.
        // It stays loaded: OpenSSL and Kerberos register work for the end of the process.
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw .missingLibrary(name) }
        /// dlsym(3) knows no types; the caller's are those of libpq-fe.h.
        func function<Function>(_ symbol: String) throws(PostgreSQLError) -> Function {
            guard let address = dlsym(handle, symbol) else { throw .missingLibrary(name) }
            return unsafeBitCast(address, to: Function.self)
        }
        PQconnectStartParams = try function("PQconnectStartParams")
        PQconnectPoll = try function("PQconnectPoll")
        PQfinish = try function("PQfinish")
        PQconninfo = try function("PQconninfo")
        PQconninfoParse = try function("PQconninfoParse")
        PQconninfoFree = try function("PQconninfoFree")
        PQconnectionNeedsPassword = try function("PQconnectionNeedsPassword")
        PQstatus = try function("PQstatus")
        PQtransactionStatus = try function("PQtransactionStatus")
        PQsslInUse = try function("PQsslInUse")
        PQsocket = try function("PQsocket")
        PQerrorMessage = try function("PQerrorMessage")
        PQsetnonblocking = try function("PQsetnonblocking")
        PQsetErrorVerbosity = try function("PQsetErrorVerbosity")
        PQsetNoticeProcessor = try function("PQsetNoticeProcessor")
        PQsendQuery = try function("PQsendQuery")
        PQsendQueryParams = try function("PQsendQueryParams")
        PQflush = try function("PQflush")
        PQconsumeInput = try function("PQconsumeInput")
        PQisBusy = try function("PQisBusy")
        PQgetResult = try function("PQgetResult")
        PQputCopyData = try function("PQputCopyData")
        PQputCopyEnd = try function("PQputCopyEnd")
        PQresultStatus = try function("PQresultStatus")
        PQresultErrorMessage = try function("PQresultErrorMessage")
        PQresultErrorField = try function("PQresultErrorField")
        PQntuples = try function("PQntuples")
        PQnfields = try function("PQnfields")
        PQfname = try function("PQfname")
        PQgetvalue = try function("PQgetvalue")
        PQgetlength = try function("PQgetlength")
        PQgetisnull = try function("PQgetisnull")
        PQcmdStatus = try function("PQcmdStatus")
        PQcmdTuples = try function("PQcmdTuples")
        PQclear = try function("PQclear")
        PQfreemem = try function("PQfreemem")
        PQlibVersion = try function("PQlibVersion")
    }
}
