/// A person's yes to what cannot be taken back.
struct Confirmation {
    private let options: GlobalOptions
    private let isGiven: Bool

    /// - Parameter isGiven: whether the command line has said yes already.
    init(_ options: GlobalOptions, isGiven: Bool) {
        (self.options, self.isGiven) = (options, isGiven)
    }

    /// Asks at the terminal.
    ///
    /// - Throws: ``CommandError`` with 64 where there is none, 1 where the answer is no.
    func ask(_ question: String) throws {
        guard !isGiven else { return }
        guard Terminal.current(noColor: true).isOutput, !options.json else {
            throw CommandError(.usage, "usage", "\(question) needs --yes where no person can be asked")
        }
        Output.talk("\(question) [y/N]")
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw CommandError(.failure, "declined", "nothing was done")
        }
    }
}
