// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingHTTP
internal import SidingNetwork

extension URLChainBuilder {
    /// A builder for the API at `baseURL`. It looks at the network with `LinuxConnectivity`.
    ///
    /// ```swift
    /// let builder = try URLChainBuilder(baseURL: "https://api.example.com/v2")
    /// let open: Chain<Void, [Issue]> = builder.route(.get, "/issues").build()
    /// ```
    /// - Parameters:
    ///   - baseURL: what paths are under.
    ///   - transport: sends the requests; nil, the default, for an `HTTPTransport` of the builder's own, which ends with its last
    ///     chain.
    /// - Throws: `Failure.Reason.invalidRequest` if `baseURL` is not an HTTP URL.
    public init(baseURL: String, transport: (any Transport)? = nil) throws(Failure) {
        self.init(baseURL: try HTTPURL(baseURL), transport: transport)
    }

    /// A builder for the API at `baseURL`. It looks at the network with `LinuxConnectivity`.
    public init(baseURL: HTTPURL, transport: (any Transport)? = nil) {
        let assembly = ChainAssembly(transport: transport ?? HTTPTransport(), connectivity: LinuxConnectivity())
        self.init(assembly, baseURL: baseURL)
    }
}
