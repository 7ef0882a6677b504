// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// A credential file: read completely or not at all, and replaced atomically, so that a crash leaves the old or the new one.
struct CredentialFile {
    /// The steps of replacing the file, in order.
    enum Step: String, CaseIterable, Sendable {
        case create, write, sync, rename
        case syncDirectory = "sync_directory"
    }

    /// Called before each step; a returned errno fails the step. Tests use it to make a step fail or to inspect the state after
    /// a crash.
    typealias Interruption = @Sendable (Step) -> Int32?

    /// Larger files are not credentials.
    private static let sizeLimit = 65_536
    /// Most credentials are smaller than this.
    private static let usualSize = 8_192

    let name: String

    init(of account: String) throws(Failure) {
        name = try CredentialDirectory.fileName(of: account)
    }

    private var temporaryName: String { "\(name).new" }

    /// The credential in the file; nil if there is no file.
    ///
    /// - Throws: ``Failure/Reason/credentialUnavailable`` that names the path.
    func read(in directory: borrowing CredentialDirectory) throws(Failure) -> KeptCredential? {
        let path = "\(directory.path)/\(name)"
        // Non-blocking, since opening a FIFO would wait for a writer.
        let descriptor = openat(directory.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw CredentialFault.unsafe(path, "it is a symbolic link")
            case let code: throw CredentialFault.system(code, "the credential \(path) could not be opened")
            }
        }
        defer { close(descriptor) }
        try check(descriptor, path)
        let bytes: [UInt8]?
        do { bytes = try FileSystem.readAll(from: descriptor, upTo: Self.sizeLimit) } catch {
            throw CredentialFault.system(error.code, "the credential \(path) could not be read")
        }
        guard let bytes, let kept = CredentialFormat.decode(bytes) else {
            throw CredentialFault.unavailable("\(path) is not a whole credential; sign in again")
        }
        return kept
    }

    /// Replaces the file: writes a temporary file, syncs it, renames it, and syncs the directory.
    ///
    /// The directory is locked meanwhile, so an existing temporary file is that of a dead writer.
    func write(
        _ kept: KeptCredential, in directory: borrowing CredentialDirectory, interruption: Interruption
    ) throws(Failure) {
        try lock(directory)
        defer { flock(directory.descriptor, LOCK_UN) }
        let path = "\(directory.path)/\(name)"
        let place = directory.descriptor
        func step(_ step: Step, _ run: () throws(SystemError) -> Void) throws(Failure) {
            do throws(SystemError) {
                if let code = interruption(step) { throw SystemError(code) }
                try run()
            } catch {
                // After the rename it no longer exists; before, nobody needs it.
                unlinkat(place, temporaryName, 0)
                throw CredentialFault.system(error.code, "the credential \(path) could not be saved (\(step.rawValue))")
            }
        }
        var descriptor: Int32 = -1
        defer { if descriptor >= 0 { close(descriptor) } }
        func check(_ result: Int32) throws(SystemError) { if result != 0 { throw SystemError() } }
        try step(.create) { () throws(SystemError) in
            descriptor = openTemporary(in: place)
            if descriptor < 0 { throw SystemError() }
            try FileSystem.setMode(0o600, of: descriptor)
        }
        let bytes = CredentialFormat.encode(kept)
        try step(.write) { () throws(SystemError) in
            try FileSystem.writeAll(bytes, to: descriptor)
            try check(ftruncate(descriptor, bytes.count))
        }
        try step(.sync) { () throws(SystemError) in try check(fsync(descriptor)) }
        try step(.rename) { () throws(SystemError) in try check(renameat(place, temporaryName, place, name)) }
        try step(.syncDirectory) { () throws(SystemError) in try check(fsync(place)) }
    }

    /// Reserves the space for the next credential: allocates the temporary file that `write` will overwrite.
    ///
    /// The new credential may be larger than the old one, since tokens can grow with their claims.
    func reserve(in directory: borrowing CredentialDirectory, interruption: Interruption) throws(Failure) {
        try lock(directory)
        defer { flock(directory.descriptor, LOCK_UN) }
        let place = directory.descriptor
        var status = stat()
        let size = fstatat(place, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int(status.st_size) : 0
        let descriptor = openTemporary(in: place)
        defer { if descriptor >= 0 { close(descriptor) } }
        var code = interruption(.create) ?? (descriptor < 0 ? errno : 0)
        if code == 0 {
            code = interruption(.write) ?? posix_fallocate(descriptor, 0, max(Self.usualSize, 2 * size))
        }
        guard code == 0 else {
            unlinkat(place, temporaryName, 0)
            throw CredentialFault.system(
                code, "there is no room for a new credential at \(directory.path)/\(name), so none is asked for")
        }
    }

    /// Opens the reserved temporary file, if it exists and is ours; otherwise creates one.
    private func openTemporary(in place: Int32) -> Int32 {
        let reserved = openat(place, temporaryName, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if reserved >= 0 {
            if FileSystem.isOwn(reserved) { return reserved }
            close(reserved)
        }
        unlinkat(place, temporaryName, 0)
        return openat(place, temporaryName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }

    /// Like a private key, a file that others can read or write is not trusted.
    private func check(_ descriptor: Int32, _ path: String) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CredentialFault.system(errno, "the credential \(path) could not be examined")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw CredentialFault.unsafe(path, "it is not a regular file") }
        guard status.st_uid == geteuid() else {
            throw CredentialFault.unsafe(
                path, "it belongs to user \(status.st_uid), not to user \(geteuid()) who runs this")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CredentialFault.unsafe(path, "other users can read or write it: chmod 600 \(path), and sign in again")
        }
    }

    /// Writers hold it for a few milliseconds; the kernel releases it when its holder dies.
    private func lock(_ directory: borrowing CredentialDirectory) throws(Failure) {
        for _ in 0..<5_000 {
            if flock(directory.descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            usleep(2_000)
        }
        throw CredentialFault.system(errno, "the directory \(directory.path) could not be locked")
    }
}
