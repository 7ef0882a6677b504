// SPDX-License-Identifier: Apache-2.0
/// A key of earlier configs that is a constant today.
package enum RemovedKey {
    /// What holds instead of each key. A key is named with the map that had it, as many maps have a `format`; a key of a resource
    /// stands alone.
    package static let replacements: KeyValuePairs<String, String> = [
        "retry.factor": "waits double from 'base' up to 'cap'. Remove it; without growth 'cap' is as long as 'base'",
        "retry.jitter": "each wait is random up to the computed one. Remove it",
        "http.max_values":
            "an answer has at most 5000000 JSON values, or one per 16 bytes of 'max_body' if that is more. Remove it",
        "http.max_depth": "the JSON of an answer is nested at most 128 deep. Remove it",
        "idempotency.format": "the key is sent without quotes. Remove it",
        "resume_within": "an unfinished listing is resumed within 24 hours. Remove it",
        "query_encoding.bool":
            "write 'query_encoding: plain' for true and false, 'query_encoding: brackets' for 1 and 0",
        "query_encoding.array":
            "write 'query_encoding: plain' for a=1&a=2, 'query_encoding: brackets' for a[]=1&a[]=2, and a list with commas "
            + "as a text",
    ]

    /// What holds instead of `key` in the map `subject`; nil if it never was a key there.
    static func replacement(for key: String, in subject: Subject) -> String? {
        let path = subject.key.map { "\($0).\(key)" } ?? key
        return replacements.first { $0.key == path }?.value
    }
}

extension Reading {
    /// Notes that `entry` of the present map is a removed key; false if it is not one.
    mutating func refuseRemovedKey(_ entry: YAMLEntry) -> Bool {
        guard let replacement = RemovedKey.replacement(for: entry.name, in: subject) else { return false }
        fault("\(subject.member(entry.name, at: entry.place)) is not a key any longer: \(replacement)", at: entry.place)
        return true
    }
}
