// SPDX-License-Identifier: Apache-2.0
public import SidingChain

extension ChainAssembly {
    /// An assembly for a program on Linux: the kernel reports whether a network route exists. Set other parts on the value.
    public init(transport: any Transport) {
        self.init(transport: transport, connectivity: LinuxConnectivity())
    }
}
