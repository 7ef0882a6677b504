// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOPosix
internal import SidingSynchronization

/// The file of a unix socket. It is made in a private directory beside its place and moved there with its final mode,
/// so that nobody connects who may not, and the file of a service that died is replaced in one step.
struct UnixSocketFile: Sendable {
    private let path: String
    private let mode: mode_t
    private let directory: String

    /// Where to bind the socket.
    var temporaryPath: String { Self.temporaryPath(in: directory) }

    private static func temporaryPath(in directory: String) -> String { directory + "/s" }

    /// The bytes of `sun_path` before its NUL (unix(7)).
    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// - Parameter isForGroup: whether the group of the file may connect, too.
    /// - Throws: ``ServiceError`` if another process listens there, or if the file is something else.
    static func prepare(_ path: String, isForGroup: Bool) async throws(ServiceError) -> UnixSocketFile {
        let name = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/.siding-XXXXXX"
        let excess = max(path.utf8.count, temporaryPath(in: name).utf8.count) - longestPath
        guard excess <= 0 else {
            throw ServiceError(
                .addressUnavailable, "the path of the unix socket is too long: \(path)",
                hint: "it may have \(path.utf8.count - excess) bytes")
        }
        try await checkIsFree(path)
        var template = name.utf8CString.map(\.self)
        guard mkdtemp(&template) != nil else { throw unavailable(path, "its directory cannot be written", errno) }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return UnixSocketFile(path: path, mode: isForGroup ? 0o660 : 0o600, directory: directory)
    }

    /// Moves the bound socket to its place.
    ///
    /// - Returns: the number of the file, for ``remove(_:)``.
    func publish() throws(ServiceError) -> ino_t {
        var found = stat()
        guard chmod(temporaryPath, mode) == 0, stat(temporaryPath, &found) == 0, rename(temporaryPath, path) == 0
        else { throw Self.unavailable(path, "its socket cannot be made", errno) }
        discard()
        return found.st_ino
    }

    /// Removes what a failed start left.
    func discard() {
        unlink(temporaryPath)
        rmdir(directory)
    }

    /// Removes the socket, unless another service has replaced it.
    func remove(_ number: ino_t) {
        var found = stat()
        if lstat(path, &found) == 0, found.st_ino == number { unlink(path) }
    }

    private static func checkIsFree(_ path: String) async throws(ServiceError) {
        var found = stat()
        guard lstat(path, &found) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFSOCK else {
            throw ServiceError(
                .addressUnavailable, "\(path) is not a socket, so it is left alone",
                hint: "move it away, or choose another path")
        }
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: path).get()
            try? await channel.close()
        } catch let error as IOError where [ECONNREFUSED, ENOENT].contains(error.errnoCode) {
            return
        } catch {
            throw ServiceError(.addressUnavailable, "\(path) is the socket of somebody else: \(error)")
        }
        throw ServiceError(.addressInUse, "another process listens on \(path)")
    }

    private static func unavailable(_ path: String, _ what: String, _ code: CInt) -> ServiceError {
        ServiceError(.addressUnavailable, "cannot listen on \(path): \(what): \(String(cString: strerror(code)))")
    }
}
