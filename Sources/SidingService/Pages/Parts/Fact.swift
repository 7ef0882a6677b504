// SPDX-License-Identifier: Apache-2.0
/// One line of a list of facts.
struct Fact: Sendable {
    let name: String
    let text: String
    var href: String?
    var moment: Moment?

    init(_ name: String, _ text: String, href: String? = nil, moment: Moment? = nil) {
        (self.name, self.text, self.href, self.moment) = (name, text, href, moment)
    }
}
