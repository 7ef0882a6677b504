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
        guard let bytes = contents(descriptor) else {
            throw CredentialFault.system(errno, "the credential \(path) could not be read")
        }
        guard let kept = CredentialFormat.decode(bytes) else {
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
        func step(_ step: Step, _ run: () -> Bool) throws(Failure) {
            let code = interruption(step)
            if let code { errno = code }
            guard code == nil, run() else {
                let fault = errno
                // After the rename it no longer exists; before, nobody needs it.
                unlinkat(place, temporaryName, 0)
                throw CredentialFault.system(fault, "the credential \(path) could not be saved (\(step.rawValue))")
            }
        }
        var descriptor: Int32 = -1
        defer { if descriptor >= 0 { close(descriptor) } }
        try step(.create) {
            descriptor = openTemporary(in: place)
            return descriptor >= 0 && fchmod(descriptor, 0o600) == 0
        }
        let bytes = CredentialFormat.encode(kept)
        try step(.write) { Self.write(bytes, to: descriptor) && ftruncate(descriptor, bytes.count) == 0 }
        try step(.sync) { fsync(descriptor) == 0 }
        try step(.rename) { renameat(place, temporaryName, place, name) == 0 }
        try step(.syncDirectory) { fsync(place) == 0 }
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
            var status = stat()
            if fstat(reserved, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_nlink == 1
            {
                return reserved
            }
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

    private func contents(_ descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= Self.sizeLimit {
            let count = SidingSynchronization.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return []
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

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { SidingSynchronization.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
