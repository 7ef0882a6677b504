// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Logging
import Metrics
import Siding
import SidingInspection
import SidingManifest
import SidingService

/// Where `siding serve` listens for HTTP, and who may ask.
struct ListenOptions: ParsableArguments {
    private static let tokenLimit = 4096

    @Option(
        help: ArgumentHelp(
            "Where pages, metrics and JSON are: HOST:PORT, unix:/PATH or none.", valueName: "address"))
    var listen = "127.0.0.1:8787"

    @Option(help: ArgumentHelp("A file with the token that HTTP requests need.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A further name of this service, such as that of a reverse proxy; may be repeated.", valueName: "name"))
    var allowHost: [String] = []

    /// The HTTP interface of `siding`, with what this process counts in its metrics; nil if none is to be.
    ///
    /// - Parameters:
    ///   - targets: asked whenever their state is shown.
    ///   - onListening: called with the address that was taken.
    /// - Throws: ``CommandError`` with code 64, 66 or 78, before anything listens.
    func service(
        of siding: Siding, _ targets: @escaping @Sendable () -> [PublishedTarget], _ logger: Logger,
        onListening: @escaping @Sendable (HTTPService.Address) async -> Void
    ) throws -> HTTPService? {
        guard listen != "none" else {
            if tokenFile == nil { return nil }
            throw CommandError.usage("--token-file is for an address, and --listen says none")
        }
        let registry = MetricsRegistry()
        let service = try HTTPService(
            siding: siding, targets: targets, address: HTTPService.Address(listen), token: token(logger),
            allowedHosts: allowHost, logger: logger,
            metrics: { registry.text() }, isLive: { siding.hasPolled(within: .seconds(300)) }, onListening: onListening)
        MetricsSystem.bootstrap(registry)
        return service
    }

    /// The token as its file has it now; nil without a file.
    ///
    /// - Throws: ``CommandError`` with code 78 if it cannot be read.
    func token(_ logger: Logger) throws -> String? {
        guard let tokenFile else { return nil }
        if let exposure = FileExposure(ofSecret: tokenFile) { logger.warning("\(exposure)") }
        do {
            return try ConfigEnvironment.process.text(ofFile: tokenFile, limit: Self.tokenLimit)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            throw CommandError(
                .config, "config", "the token cannot be read: \(tokenFile) \(error.reason)",
                hint: "'openssl rand -hex 32' makes a token")
        }
    }
}
