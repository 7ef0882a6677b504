// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingInspection
import SidingJSON

/// What `siding init` found and wrote, and the next commands.
struct InitReport {
    let options: GlobalOptions

    /// Which commands need behind them to find the file: ` -c two.yaml`.
    var arguments: String { options.config.map { " -c \(ShellText.word($0))" } ?? "" }

    /// What the first page shows; with `--json` all that there is to report.
    func show(_ draft: ConfigDraft, _ page: FirstPage, path: String) {
        if options.json { return Output.line(object(draft, page, path)) }
        let place = page.records.map { " at \($0.withoutEach)" } ?? ""
        options.printMessage("\(draft.name): \(MessageFormat.count(page.count, "record"))\(place)")
        options.printMessage("    key: \(page.key.path), \(page.key.message(page.count))")
        if let next = page.next {
            options.printMessage("    \(next.line)")
            options.printMessage("        \(next.message)")
        } else {
            options.printMessage("    one page: nothing on it shows that there are more")
            // An object around the list could report a total.
            guard page.records == nil, Self.usualSizes.contains(page.count) else { return }
            options.printMessage(
                "        but \(page.count) records are often a whole page: try the URL with 'page=1&per_page=100' or 'limit=100' in its query"
            )
        }
    }

    /// The page sizes that APIs have where a request names none.
    private static let usualSizes: Set<Int> = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000]

    private func object(_ draft: ConfigDraft, _ page: FirstPage, _ path: String) -> JSONObject {
        [
            "path": path, "source": draft.source, "resource": draft.name, "count": page.count,
            "records": page.records?.description, "key": page.key.path.description, "paginate": page.next?.rule,
            "evidence": page.next?.evidence, "caution": page.next?.caution,
        ]
    }

    /// - Parameter next: the next commands, without `siding`.
    func showWritten(_ path: String, next: [String]) {
        guard !options.json else { return }
        options.printMessage("wrote \(PlainText.oneLine(path)); next: \(commands(next))")
        guard options.config == nil, let other = ProcessInfo.processInfo.environment["SIDING_CONFIG"], !other.isEmpty
        else { return }
        options.printMessage(
            "but SIDING_CONFIG names \(other), which these commands take: unset it, or add '--config \(ShellText.word(path))'"
        )
    }

    func showAdded(_ draft: ConfigDraft, to path: String) {
        guard !options.json else { return }
        let name = ShellText.word(draft.name)
        options.printMessage(
            "added '\(draft.name)' of source '\(draft.source)' to \(PlainText.oneLine(path)); next: "
                + commands(["plan --fetch \(name)", "sync \(name)"]))
    }

    private func commands(_ all: [String]) -> String {
        all.map { "'siding \($0)\(arguments)'" }.joined(separator: ", ")
    }
}
