// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// The opened and checked directory of credentials. All operations use its descriptor, so that nobody can replace the directory
/// meanwhile.
struct CredentialDirectory: ~Copyable {
    let path: String
    let descriptor: Int32

    /// Opens the directory; nil if there is none. Symbolic links in the path above it are followed, since service managers
    /// create some.
    ///
    /// - Throws: ``Failure/Reason/credentialUnavailable`` if another user could change the directory, or if it is a link or not
    ///   a directory.
    static func open(_ path: String) throws(Failure) -> CredentialDirectory? {
        let path = withoutTrailingSlash(path)
        let descriptor = SidingSynchronization.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP, ENOTDIR: throw CredentialFault.unsafe(path, "it is a symbolic link or no directory")
            case let code: throw CredentialFault.system(code, "the directory \(path) could not be opened")
            }
        }
        let directory = CredentialDirectory(path: path, descriptor: descriptor)
        try directory.check()
        return directory
    }

    /// Opens the directory; creates it and missing parents with mode 0700.
    static func make(_ path: String) throws(Failure) -> CredentialDirectory {
        let path = withoutTrailingSlash(path)
        if let directory = try open(path) { return directory }
        do { try FileSystem.createPrivateDirectory(path) } catch {
            throw CredentialFault.system(error.code, "the directory \(path) could not be made")
        }
        guard let directory = try open(path) else {
            throw CredentialFault.system(ENOENT, "the directory \(path) could not be made")
        }
        return directory
    }

    /// The file name of `account` in this directory; it cannot lead elsewhere.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` for a name with characters other than letters, digits, `-` and `_`.
    static func fileName(of account: String) throws(Failure) -> String {
        let isPlain = account.utf8.allSatisfy { byte in
            let character = Unicode.Scalar(byte)
            return ("a"..."z").contains(character) || ("A"..."Z").contains(character)
                || ("0"..."9").contains(character) || character == "-" || character == "_"
        }
        guard isPlain, (1...200).contains(account.utf8.count) else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail: "'\(account)' cannot name a credential: only ASCII letters, digits, - and _ can, up to 200")
        }
        return account
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    private func check() throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CredentialFault.system(errno, "the directory \(path) could not be examined")
        }
        guard status.st_uid == geteuid() else {
            throw CredentialFault.unsafe(
                path, "it belongs to user \(status.st_uid), not to user \(geteuid()) who runs this")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw CredentialFault.unsafe(path, "other users can write in it: chmod 700 \(path)")
        }
    }

    /// With a trailing slash a link would be followed.
    private static func withoutTrailingSlash(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}

/// The failures of credential files: they name the path, never the content.
enum CredentialFault {
    /// A file or directory that another user could read or replace.
    static func unsafe(_ path: String, _ why: String) -> Failure {
        unavailable("\(path) is not used: \(why)")
    }

    static func unavailable(_ detail: String) -> Failure {
        Failure(.credentialUnavailable, phase: .notSent, detail: detail)
    }

    /// A failed system call. If the machine ran out of a resource, a later attempt may succeed.
    static func system(_ code: Int32, _ what: String) -> Failure {
        let error = SystemError(code)
        let detail = "\(what): \(error.message)"
        guard error.isFull || [EMFILE, ENFILE, ENOMEM].contains(code) else { return unavailable(detail) }
        return Failure(.localResource, phase: .notSent, detail: detail)
    }

    /// A lock that could not be acquired.
    static func lock(_ error: SQLiteError, of account: String) -> Failure {
        switch error.kind {
        case .cancelled: Failure(.cancelled, phase: .notSent)
        case .busy:
            Failure(
                .timeout(.total), phase: .notSent,
                detail: "waiting for another refresh of '\(account)': \(error.message)")
        case .full: Failure(.localResource, phase: .notSent, detail: error.description)
        default: unavailable(error.description)
        }
    }
}
