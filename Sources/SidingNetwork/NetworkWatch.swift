internal import Dispatch

/// Takes from a socket whenever there is something to take, until the last reference goes.
///
/// A dispatch source waits for it. That holds neither a thread of Swift's pool nor one of its own, as one that sits in
/// poll(2) would, with a second descriptor to stop it; and its cancel handler, which runs once and after the last event
/// handler, is the one place where the descriptor is closed.
final class NetworkWatch: Sendable {
    /// One for all, as each queue with something to do takes a thread.
    private static let queue = DispatchQueue(label: "siding.network-changes", qos: .utility)

    /// Unsafe only in name: the compiler is not told that a source may be cancelled from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    init(_ socket: NetworkSocket, telling board: NetworkChangeBoard) throws(NetworkWatchFault) {
        let descriptor = try socket.open()
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler { [weak self] in
            do throws(NetworkWatchFault) {
                board.tell(try socket.take(descriptor))
            } catch {
                // Its descriptor stays readable: without this, the handler would run for ever.
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
