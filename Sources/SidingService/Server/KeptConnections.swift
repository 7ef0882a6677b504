// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes

/// HTTP/1.1 connections that are kept until they are closed.
///
/// One that is accepted while the server stops is handled by nobody, and NIO ends the process if such a channel is released before
/// it is closed.
struct KeptConnections: ServerChildChannel {
    let connections: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        connections.setup(channel: channel, logger: logger).map { connection in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(connection) {} }
            return connection
        }
    }

    func handle(value connection: HTTP1Channel.Value, logger: Logger) async {
        await connections.handle(value: connection, logger: logger)
    }
}
