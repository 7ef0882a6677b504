// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

/// Reads a socket whenever notifications arrive, until the last reference is released.
///
/// It uses a dispatch source, which blocks no thread, unlike poll(2), which would also need a second descriptor to stop it. The
/// cancel handler runs once, after the last event handler, and is the only place that closes the descriptor.
final class NetworkWatch: Sendable {
    /// One queue for all watches, since each busy queue needs a thread.
    private static let queue = DispatchQueue(label: "siding.network-changes", qos: .utility)

    /// Safe: a dispatch source may be cancelled from any thread, but the compiler does not know that.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    init(_ socket: NetworkSocket, telling board: NetworkChangeBoard) throws(NetworkWatchFault) {
        let descriptor = try socket.open()
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler { [weak self] in
            do throws(NetworkWatchFault) {
                board.tell(try socket.take(descriptor))
            } catch {
                // The descriptor stays readable, so without this the handler would run forever.
                board.fail(error)
                board.tell(.missed)
                self?.source.cancel()
            }
        }
        source.setCancelHandler { socket.close(descriptor) }
        source.activate()
    }

    deinit {
        source.cancel()
    }
}
