// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSynchronization

extension HTTPService {
    /// Where the service listens.
    public enum Address: Sendable, Hashable, CustomStringConvertible {
        /// 127.0.0.1: this machine only. Port 0 takes a free one.
        case loopback(port: Int)
        /// A socket in the file system. Without a token its owner alone may connect, with one its group, too.
        case unixSocket(path: String)
        /// A host name or numeric address. It needs a token, unless it is a loopback address.
        case host(String, port: Int)

        /// Reads `127.0.0.1:8787`, `[::1]:8787`, `example.org:80` or `unix:/run/siding/siding.sock`.
        ///
        /// - Throws: ``ServiceError/Kind/invalidAddress``.
        public init(_ text: String) throws(ServiceError) {
            if text.hasPrefix("unix:") {
                let path = String(text.dropFirst(5))
                guard path.hasPrefix("/"), !path.hasSuffix("/") else {
                    throw Self.fault(text, "the path of a unix socket is absolute: unix:/run/siding/siding.sock")
                }
                self = .unixSocket(path: path)
                return
            }
            guard let host = HostName(text), let port = host.port else {
                throw Self.fault(text, "write HOST:PORT, [IPV6]:PORT or unix:/PATH, such as 127.0.0.1:8787")
            }
            self =
                ["localhost", "127.0.0.1"].contains(host.name) ? .loopback(port: port) : .host(host.name, port: port)
        }

        private static func fault(_ text: String, _ hint: String) -> ServiceError {
            ServiceError(
                .invalidAddress, "'\(PlainText.oneLine(text, limit: 100))' is not an address to listen on", hint: hint)
        }

        public var description: String {
            switch self {
            case .loopback(let port): "127.0.0.1:\(port)"
            case .unixSocket(let path): "unix:\(path)"
            case .host(let name, let port): name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
            }
        }

        /// Whether only users of this machine can reach it.
        var isLocal: Bool {
            guard case .host(let name, _) = self else { return true }
            guard let bytes = IPAddress.bytes(name) else { return name.lowercased() == "localhost" }
            return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
        }
    }
}
