// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain
import SidingCredentials
import SidingHTTP
import SidingNetwork

/// The request by which `siding init` sees the first page of a collection.
struct FirstPageRequest {
    let url: HTTPURL
    /// A draft, whose `records` and `paging` are not declared.
    let resource: AnyResource
    let options: GlobalOptions
    /// Where the tokens of the source are kept; nil for a source that is not in a config yet: its token is for this request only.
    var workspace: Workspace?

    /// - Throws: an error only where a signal stopped it, or where there is no place for a token.
    func page() async throws -> Result<FirstPage, FirstPageProblem> {
        if let workspace { return try await page(tokensIn: workspace.credentials) }
        guard case .signIn = resource.source.authorization else { return try await page(tokensIn: nil) }
        let directory = try TemporaryDirectory.make("init", hint: "TMPDIR names another directory")
        return try await perform {
            try await page(tokensIn: directory)
        } finally: {
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    private func page(tokensIn directory: String?) async throws -> Result<FirstPage, FirstPageProblem> {
        let environment = RuntimeEnvironment(logger: options.logger())
        let config = workspace?.config
        let fetched = try await Network.using { http in
            let signIns = directory.map { SignIns(directory: $0, transports: http, environment: RuntimeEnvironment()) }
            let source = signIns?.signedIn(resource.source) ?? resource.source
            let chain = ChainAssembly(
                to: source, for: nil,
                over: options.watching(http, config).transport(for: source.name, source.connection), in: environment)
            return await result { () async throws(Failure) in
                try await chain.uncachedRequest(upTo: source.transport.maxBody).process(
                    url, ChainContext(requestID: "init", logger: environment.logger, isResendable: true))
            }
        }
        if let stopped = fetched.stopped { throw stopped }
        do throws(Failure) { return .success(try FirstPage(fetched.value.get(), of: resource)) } catch {
            return .failure(
                FirstPageProblem(
                    failure: error, url: url, source: resource.source, answer: try? fetched.value.get()))
        }
    }
}

/// The value or the failure of `work`.
private func result<Value>(_ work: () async throws(Failure) -> Value) async -> Result<Value, Failure> {
    do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
}
