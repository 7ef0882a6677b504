// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// What header fields say of an answer that is not whole.
extension Shortfall {
    /// The names of fields that say "true", "yes" or 1 of a part, without their `X-`.
    private static let flagFields = FailureNames.flags.union(FailureNames.adjectives).union([
        "partialcontent", "partialresponse", "resultspartial", "resultpartial",
    ])

    /// The names of fields that say the same by "false", "no" or 0.
    private static let wholeFields = FailureNames.wholes.union([
        "responsecomplete", "resultcomplete", "resultscomplete",
    ])

    private static var partialWarning: Regex<Substring> {
        /partial(?:ly)? (?:results?|responses?|content|data|list|listing|answer|page)/
    }

    static func inFields(of answer: PageAnswer) -> Shortfall? {
        if answer.recordCount == 0, answer.headerFields[.contentType]?.hasPrefix("application/problem+json") ?? false {
            return Shortfall(.error, "its Content-Type is application/problem+json")
        }
        return answer.headerFields.first { field in
            // RFC 7234 §5.5
            if field.name.canonicalName == "warning" {
                return !answer.isOfWrite && field.value.lowercased().contains(partialWarning)
            }
            // A URL repeats what was asked for.
            guard field.name.canonicalName.hasPrefix("x-"), !field.value.contains(where: "/?=".contains) else {
                return false
            }
            let name = ExtentName.folded(String(field.name.canonicalName.dropFirst(2)))
            if wholeFields.contains(name) { return EnvelopeScalar.text(field.value).truth(orNumber: true) == false }
            if flagFields.contains(name) { return EnvelopeScalar.text(field.value).truth(orNumber: true) == true }
            return PartialWords.areIn(field.value, isMessage: false) && !PartialWords.areOfData(name)
        }
        .map { Shortfall(.part, "\($0.name.rawName) is '\(PlainText.oneLine($0.value, limit: 200))'") }
    }
}
