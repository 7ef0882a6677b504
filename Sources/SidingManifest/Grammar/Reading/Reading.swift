/// One pass over a configuration: what it stands in, what was found wrong so far, and what is being read.
struct Reading {
    /// Absolute; relative paths in the configuration start here.
    let directory: String
    let environment: ManifestEnvironment
    private(set) var faults: [Fault] = []
    /// Every secret that was named, for a later look at whether it is there.
    private(set) var secrets: [SecretUse] = []
    private(set) var subject: Subject
    /// What is said of a secret that is empty.
    private(set) var emptiness = "it is empty"
    /// What `for_each` of the resource that is read binds, in braces.
    var placeholders: Set<String> = []

    init(file: String, environment: ManifestEnvironment, faults: [Fault] = []) {
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

    mutating func use(_ secret: SecretReference, at place: Place) {
        secrets.append(SecretUse(place: place, reference: secret, emptiness: emptiness))
    }

    /// Reads with another subject, then returns to the present one.
    mutating func about<Value>(_ subject: Subject, _ body: (inout Reading) -> Value) -> Value {
        let outer = self.subject
        self.subject = subject
        defer { self.subject = outer }
        return body(&self)
    }

    /// Reads with other words for a secret that is empty, then returns to the present ones.
    mutating func withEmptiness<Value>(_ emptiness: String, _ body: (inout Reading) -> Value) -> Value {
        let outer = self.emptiness
        self.emptiness = emptiness
        defer { self.emptiness = outer }
        return body(&self)
    }

    /// The faults in file order, each once: what an alias repeats is told but once.
    var sortedFaults: [Fault] {
        var seen: Set<Fault> = []
        return faults.filter { seen.insert($0).inserted }
            .enumerated()
            .sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
            .map(\.element)
    }
}

/// A secret and where the configuration names it.
struct SecretUse: Sendable {
    let place: Place
    let reference: SecretReference
    /// What is said of it where it is empty.
    let emptiness: String
}
