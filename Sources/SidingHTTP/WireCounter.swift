// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import SidingChain
internal import SidingSynchronization

/// Counts the bytes of a connection for the request that is under way: the first handler of its pipeline, so that it sees what the
/// network carries.
final class WireCounter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The meter of the request; nil if nobody counts it.
    var meter: TrafficMeter?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        meter?.add(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        meter?.add(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }
}

/// The meters of requests on their way to a connection.
///
/// Only the pipeline knows on which connection a request goes out. So the request has a field that names its meter, which
/// ``AnswerGuard`` takes off before anything is written.
enum MeteredRequests {
    static let field = "siding-meter"

    private static let meters = Mutex<(next: UInt64, waiting: [UInt64: TrafficMeter])>((0, [:]))

    /// - Returns: the value of ``field``.
    static func add(_ meter: TrafficMeter) -> UInt64 {
        meters.withLock { meters in
            meters.next += 1
            meters.waiting[meters.next] = meter
            return meters.next
        }
    }

    @discardableResult
    static func remove(_ number: UInt64) -> TrafficMeter? { meters.withLock { $0.waiting.removeValue(forKey: number) } }
}
