// SPDX-License-Identifier: Apache-2.0
extension Siding.Event: CustomStringConvertible {
    /// One line: `posts: page 2 saved (pages 2, requests 2, inserted 4)`.
    public var description: String {
        switch self {
        case .runBegan(let run, let resources): "run \(run) began: \(resources.joined(separator: ", "))"
        case .pageSaved(let resource, let page, let counters): "\(resource): page \(page) saved (\(counters))"
        case .entryChanged(let entry): "queue: \(entry)"
        case .recordsChanged(let resource): "\(resource): records changed"
        case .runEnded(let run, let outcome): "run \(run) ended: \(outcome.rawValue.replacing("_", with: " "))"
        case .missed(let count): "\(count) events missed"
        }
    }
}
