// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingCLI

@Suite struct ExitStatusTests {
    typealias Code = SidingCLI.ExitStatus

    @Test(arguments: [
        ([Code.success], false, Code.success),
        ([.queued, .success], true, .queued),
        ([.refused, .success], true, .partial),
        ([.refused], false, .refused),
        ([.data, .queued], false, .data),
        ([.locked, .queued], false, .locked),
        ([.signIn, .refused, .success], true, .signIn),
        ([.config, .signIn], false, .config),
        ([.interrupted, .inputOutput], true, .interrupted),
        ([.partial, .success], true, .partial),
        ([.stale, .queued], false, .queued),
    ])
    func `of several codes the one that the table puts first counts`(
        all: [Code], savedAnything: Bool, expected: Code
    ) {
        #expect(Code.combining(all, savedAnything: savedAnything) == expected)
    }
}
