// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingNetwork
import SidingTesting
import Testing

@Suite struct ChainAssemblyTests {
    @Test func `an assembly with a transport alone asks the kernel for a route`() {
        let assembly = ChainAssembly(transport: ScriptedTransport([]))
        #expect(assembly.connectivity is LinuxConnectivity)
    }
}
