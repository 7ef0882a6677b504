// SPDX-License-Identifier: Apache-2.0
extension GlobalOptions {
    /// Asks the user at the terminal to confirm an action that cannot be undone.
    ///
    /// - Parameter isGiven: whether the command line already confirms it.
    /// - Throws: ``CommandError`` with code 64 if there is no terminal, 1 if the answer is no.
    func confirm(_ question: String, isGiven: Bool) throws {
        guard !isGiven else { return }
        guard Terminal.current(noColor: true).isOutput, !json else {
            throw CommandError.usage("\(question) needs --yes: without a terminal siding cannot ask")
        }
        Output.printMessage("\(question) [y/N]")
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw CommandError(.failure, "declined", "nothing was done")
        }
    }
}
