// SPDX-License-Identifier: Apache-2.0
internal import SidingCredentials

/// The state of reading a config: its directory, the faults so far, and the current subject.
struct Reading {
    /// The directory for relative paths in the config; absolute.
    let directory: String
    let environment: ConfigEnvironment
    private(set) var faults: [Fault] = []
    /// All secrets that the config names, to check later whether they can be read.
    private(set) var secrets: [SecretUse] = []
    private(set) var subject: Subject
    /// The message for an empty secret.
    private(set) var emptiness = "it is empty"
    /// The names that `for_each` of the current resource binds, in braces.
    var placeholders: Set<String> = []

    init(file: String, environment: ConfigEnvironment, faults: [Fault] = []) {
        directory = environment.directory(ofFile: file)
        self.environment = environment
        self.faults = faults
        subject = Subject(key: nil, owner: "", place: Place(file: file, line: 1, column: 1))
    }

    mutating func fault(
        _ message: String, at place: Place, expected: String? = nil, suggestion: String? = nil
    ) {
        faults.append(Fault(place: place, message: message, expected: expected, suggestion: suggestion))
    }

    /// The secret of `reference`, which is then one of ``secrets``.
    mutating func secret(_ reference: SecretReference, at place: Place) -> Secret {
        secrets.append(SecretUse(place: place, reference: reference, emptiness: emptiness))
        return reference.secret(environment, emptiness: emptiness)
    }

    /// Reads with another subject, then restores the previous one.
    mutating func about<Value>(_ subject: Subject, _ body: (inout Reading) -> Value) -> Value {
        let outer = self.subject
        self.subject = subject
        defer { self.subject = outer }
        return body(&self)
    }

    /// Reads what is to work without its secrets, and returns them apart from ``secrets``.
    mutating func keepingSecretsApart<Value>(
        _ body: (inout Reading) -> Value
    ) -> (value: Value, secrets: [SecretUse]) {
        let outer = secrets
        secrets = []
        defer { secrets = outer }
        let value = body(&self)
        return (value, secrets)
    }

    /// Reads with another message for empty secrets, then restores the previous one.
    mutating func withEmptiness<Value>(_ emptiness: String, _ body: (inout Reading) -> Value) -> Value {
        let outer = self.emptiness
        self.emptiness = emptiness
        defer { self.emptiness = outer }
        return body(&self)
    }

    /// The faults in file order, without duplicates, which aliases cause.
    var sortedFaults: [Fault] {
        var seen: Set<Fault> = []
        return faults.filter { seen.insert($0).inserted }
            .enumerated()
            .sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
            .map(\.element)
    }
}

/// A secret and its position in the config.
struct SecretUse: Sendable {
    let place: Place
    let reference: SecretReference
    /// The message if it is empty.
    let emptiness: String
}
