// SPDX-License-Identifier: Apache-2.0
/// One screen of the pages: the values that its template shows.
protocol Screen: Sendable {
    static var template: String { get }
    /// The name in the browser's tab, and the heading.
    var title: String { get }
    /// What prints the same on a terminal; nil if nothing does.
    var command: String? { get }
}
