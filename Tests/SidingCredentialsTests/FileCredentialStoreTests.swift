// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingTesting
import Testing

@testable import SidingCredentials

@Suite struct FileCredentialStoreTests {
    private let state: TemporaryDirectory
    private let store: FileCredentialStore
    private var directory: String { state.path(of: "credentials") }
    private var file: String { "\(directory)/tracker" }

    private static let old = Credential(accessToken: "s3cret-old", refreshToken: "s3cret-r1", generation: 1)
    private static let new = Credential(
        accessToken: "s3cret-\"new\u{e9}", refreshToken: nil, generation: .max, expiresAt: 1_767_225_600.25)

    init() throws {
        state = try TemporaryDirectory()
        store = FileCredentialStore(directory: state.path(of: "credentials"))
    }

    private func failure(_ body: () async throws(Failure) -> Void) async -> Failure? {
        do throws(Failure) {
            try await body()
            return nil
        } catch { return error }
    }

    private func readFailure() async -> Failure? {
        await failure { () async throws(Failure) in _ = try await store.credential(of: "tracker") }
    }

    private func mode(_ path: String) throws -> Int? {
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return mode?.intValue
    }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        #expect(chmod(file, mode_t(mode)) == 0)
    }

    @Test func `saved credentials are read by every store of the directory`() async throws {
        #expect(try await store.credential(of: "tracker") == nil)
        for credential in [Self.old, Self.new] {
            try await store.save(credential, of: "tracker")
            #expect(try await FileCredentialStore(directory: directory + "//").credential(of: "tracker") == credential)
        }
        #expect(try await store.credential(of: "other") == nil)
    }

    @Test func `directory and file are the owner's alone under any umask, and no other file is beside them`()
        async throws
    {
        let deep = "\(state.path)/a/b/credentials"
        try await FileCredentialStore(directory: deep).save(Self.old, of: "tracker")
        #expect(try mode(deep) == 0o700)
        #expect(try mode("\(state.path)/a") == 0o700)
        #expect(try mode("\(deep)/tracker") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: deep) == ["tracker"])
    }

    @Test(arguments: ["", ".", "..", "../x", "a/b", "/etc/passwd", "a.lock", "a.new", "a\u{0}b", "ü", "a b"])
    func `a name that could lead elsewhere is refused`(_ name: String) async {
        #expect(
            await failure { () async throws(Failure) in _ = try await store.credential(of: name) }?.reason
                == .invalidRequest)
        #expect(
            await failure { () async throws(Failure) in try await store.save(Self.old, of: name) }?.reason
                == .invalidRequest)
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test(arguments: [
        "", "{", "s3cret", "{}", "[]", #"{"access_token":"s3cret"}"#, #"{"access_token":"s3cret","generation":-1}"#,
        #"{"access_token":7,"generation":1}"#, #"{"access_token":"s3cret","generation":1"#,
        String(repeating: " ", count: 70_000) + #"{"access_token":"s3cret","generation":1}"#,
    ])
    func `a file that is not a whole credential is reported by its path, never by its content`(_ text: String)
        async throws
    {
        try write(text)
        let failure = try #require(await readFailure())
        #expect(failure.reason == .credentialUnavailable)
        #expect(failure.phase == .notSent)
        #expect(failure.description.contains(file))
        #expect(!String(reflecting: failure).contains("s3cret"))
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o666]) func `a file that others can read or write is refused`(_ mode: Int)
        async throws
    {
        try write(#"{"access_token":"s3cret","generation":1}"#, mode: mode)
        let failure = try #require(await readFailure())
        #expect(failure.reason == .credentialUnavailable)
        #expect(failure.description.contains("chmod 600 \(file)"))
    }

    @Test func `a link, a pipe and a directory in its place are refused`() async throws {
        try await store.save(Self.old, of: "other")
        let other = "\(directory)/other"
        for (word, make) in [
            ("symbolic link", { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: other) }),
            ("regular file", { #expect(mkfifo($0, 0o600) == 0) }),
            ("regular file", { #expect(mkdir($0, 0o700) == 0) }),
        ] as [(String, (String) throws -> Void)] {
            try make(file)
            #expect(await readFailure()?.description.contains(word) == true)
            try FileManager.default.removeItem(atPath: file)
        }
    }

    @Test(arguments: [0o770, 0o702, 0o777, 0o1777]) func `a directory that others can write in is refused`(_ mode: Int)
        async throws
    {
        try await store.save(Self.old, of: "tracker")
        #expect(chmod(directory, mode_t(mode)) == 0)
        #expect(await readFailure()?.description.contains("chmod 700 \(directory)") == true)
        #expect(
            await failure { () async throws(Failure) in try await store.save(Self.new, of: "tracker") }?.reason
                == .credentialUnavailable)
        #expect(
            await failure { () async throws(Failure) in
                try await FileRefreshGate(directory: directory).withRefresh(of: "tracker") { () async throws(Failure) in
                }
            }?.reason == .credentialUnavailable)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file of another user is refused`() async throws {
        try await store.save(Self.old, of: "tracker")
        #expect(chown(file, 65534, 65534) == 0)
        #expect(await readFailure()?.description.contains("it belongs to user 65534") == true)
        #expect(chown(file, 0, 0) == 0 && chown(directory, 65534, 65534) == 0)
        #expect(await readFailure()?.description.contains("\(directory) is not used: it belongs to user 65534") == true)
    }

    @Test func `a directory that is a link is refused; one above it may be`() async throws {
        try await store.save(Self.old, of: "tracker")
        let (link, above) = (state.path(of: "link"), state.path + "-above")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory)
        try FileManager.default.createSymbolicLink(atPath: above, withDestinationPath: state.path)
        defer { unlink(above) }
        for path in [link, link + "/"] {
            let failure = await failure { () async throws(Failure) in
                _ = try await FileCredentialStore(directory: path).credential(of: "tracker")
            }
            #expect(failure?.description.contains("symbolic link") == true)
        }
        #expect(try await FileCredentialStore(directory: above + "/credentials").credential(of: "tracker") == Self.old)
    }

    @Test(arguments: CredentialFile.Step.allCases)
    func `a step that fails leaves the old file before the rename, and the new one after it`(
        _ step: CredentialFile.Step
    )
        async throws
    {
        try await store.save(Self.old, of: "tracker")
        let broken = FileCredentialStore(directory: directory) { $0 == step ? ENOSPC : nil }
        let failure = try #require(
            await failure { () async throws(Failure) in try await broken.save(Self.new, of: "tracker") })
        #expect(failure.reason == .localResource)
        #expect(failure.description.contains(file) && failure.description.contains(step.rawValue))
        #expect(!String(reflecting: failure).contains("s3cret"))
        let left = try await store.credential(of: "tracker")
        #expect(left == (step == .syncDirectory ? Self.new : Self.old))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["tracker"])
    }

    @Test(arguments: CredentialFile.Step.allCases)
    func `a process killed before any step leaves the old file or the new one`(_ step: CredentialFile.Step) async throws
    {
        try await store.save(Self.old, of: "tracker")
        let (path, name) = (directory, step.rawValue)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, name = name as String] in
            let dying = FileCredentialStore(directory: path) { step in
                if step.rawValue == name { kill(getpid(), SIGKILL) }
                return nil
            }
            try await dying.save(
                Credential(accessToken: "s3cret-killed", refreshToken: "r", generation: 2), of: "tracker")
        }
        let left = try await store.credential(of: "tracker")
        #expect(left?.accessToken == (step == .syncDirectory ? "s3cret-killed" : "s3cret-old"))
        // What the dead process left beside it does no harm, and goes with the next save.
        try await store.save(Self.new, of: "tracker")
        #expect(try await store.credential(of: "tracker") == Self.new)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["tracker"])
    }

    @Test func `a stale temporary file is harmless with any content`() async throws {
        try await store.save(Self.old, of: "tracker")
        try Data("s3cret ha".utf8).write(to: URL(fileURLWithPath: file + ".new"))
        #expect(try await store.credential(of: "tracker") == Self.old)
        try await store.save(Self.new, of: "tracker")
        #expect(try await store.credential(of: "tracker") == Self.new)
        let victim = state.path(of: "victim")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: victim))
        try FileManager.default.createSymbolicLink(atPath: file + ".new", withDestinationPath: victim)
        try await store.save(Self.old, of: "tracker")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
        #expect(try await store.credential(of: "tracker") == Self.old)
    }

    @Test func `the next credential is written into the reserved file`() async throws {
        try await store.reserve(for: "tracker")
        var status = stat()
        #expect(stat(file + ".new", &status) == 0)
        #expect(status.st_blocks * 512 >= 8_192 && status.st_mode & 0o777 == 0o600)
        let reserved = status.st_ino
        try await store.save(Self.new, of: "tracker")
        #expect(stat(file, &status) == 0 && status.st_ino == reserved && status.st_size < 8_192)
        #expect(try await store.credential(of: "tracker") == Self.new)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["tracker"])
    }

    @Test(arguments: [(CredentialFile.Step.create, ENOSPC), (.write, ENOSPC), (.write, EFBIG)])
    func `a disk without room for the reservation is reported before any request`(
        _ step: CredentialFile.Step, _ code: Int32
    ) async throws {
        try await store.save(Self.old, of: "tracker")
        let full = FileCredentialStore(directory: directory) { $0 == step ? code : nil }
        let failure = try #require(
            await failure { () async throws(Failure) in try await full.reserve(for: "tracker") })
        #expect(failure.reason == .localResource)
        #expect(failure.description.contains("none is asked for"))
        #expect(try await store.credential(of: "tracker") == Self.old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["tracker"])
    }

    @Test func `readers see whole credentials while others write`() async throws {
        try await store.save(Self.old, of: "tracker")
        let directory = directory
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let store = FileCredentialStore(directory: directory)
                    for number in 0..<10 {
                        let token = String(repeating: "x", count: 5_000 * (writer + 1))
                        try await store.save(
                            Credential(accessToken: token, generation: UInt64(number)), of: "tracker")
                    }
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 {
                        _ = try #require(try await FileCredentialStore(directory: directory).credential(of: "tracker"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["tracker"])
    }
}
