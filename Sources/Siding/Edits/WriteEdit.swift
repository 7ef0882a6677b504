public import SidingJSON

/// What a write does to a record that is kept here: it shows at once, and stays until the origin has answered.
///
/// The record itself is made of what the origin has and of all unsettled edits on top, in their order. A pull changes what
/// lies below; an answer takes the place of the edit; dropping the write takes the edit away, and nothing else.
public struct WriteEdit: Sendable, Hashable {
    /// What the write's body, or what it holds in ``record``, is to the record.
    public enum Change: String, Sendable, Hashable, Codable, CaseIterable {
        /// The body is a new record.
        case create
        /// The body takes the record's place; where there is none, it becomes one.
        case replace
        /// The body is a merge patch (RFC 7396). Where the record is not known, nothing shows until it is.
        case merge
        /// The record goes. It is a tombstone until the origin has answered.
        case delete
    }

    public var change: Change
    /// The resource's name, and what makes it known where it is not.
    public var resource: String
    public var definition: ResourceDefinition
    public var shape: RecordShape
    /// What tells the resource's records apart.
    public var keyPaths: [JSONPath]
    /// Whose record. Nil for one to be created whose key the origin makes: a temporary id stands for it meanwhile, and is
    /// rewritten in whatever depends on it.
    public var key: String?
    /// Where the answer to a create holds the real id; nil for where the record has its key.
    public var idPath: JSONPath?
    /// What happens when the origin has something else by now.
    public var conflict: ConflictPolicy
    /// Whether it may be merged into an unsent write about the same record. A write whose key the caller chose never is.
    public var coalesces: Bool
    /// Whether the origin is told which state of the record the write is made for (RFC 9110 §13.1.1), where its strong
    /// ETag is known. Then any change of the origin's to a record that is to be replaced or deleted is a conflict.
    public var ifMatch: Bool
    /// Where the write's body and its answer hold the record: members of objects. Nil for where they are the record; so is
    /// one of them that has nothing there.
    public var record: JSONPath?
    /// Whether the answer says some members of the record only: they are laid over what the edit made of it.
    public var answersPart: Bool

    public init(
        _ change: Change, of resource: AnyResource, key: String? = nil, idPath: JSONPath? = nil,
        conflict: ConflictPolicy = .hold, coalesces: Bool = false, ifMatch: Bool = false, record: JSONPath? = nil,
        answersPart: Bool = false
    ) {
        self.change = change
        self.resource = resource.name
        definition = ResourceDefinition(resource)
        shape = resource.shape
        keyPaths = resource.key
        self.key = key
        self.idPath = idPath
        self.conflict = conflict
        self.coalesces = coalesces
        self.ifMatch = ifMatch
        self.record = record
        self.answersPart = answersPart
    }
}

/// What becomes of an edit when the origin has something else than what it was made for.
public enum ConflictPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// A person decides.
    case hold
    /// The edit is sent over it; three times refused, a person decides.
    case mine
    /// The edit is dropped.
    case theirs
    /// What only one side changed is kept from both; where both changed the same, a person decides.
    case merge
}
