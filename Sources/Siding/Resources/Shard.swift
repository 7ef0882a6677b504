// SPDX-License-Identifier: Apache-2.0
/// One of N parts of the fetching of an origin, so that N stations share it without knowing each other: `2/4`.
///
/// Rendezvous hashing decides which part a name belongs to (Thaler and Ravishankar, "Using name-based mappings to increase hit
/// rates", IEEE/ACM Transactions on Networking 6, 1998). Each shard gives the name a weight, and the largest weight owns it. So a
/// change from N to N + 1 shards moves 1/(N + 1) of the names, all of them to the new shard. No release changes the weights.
///
/// - A resource with one listing belongs to the shard that owns its name.
/// - Of a resource with a listing per parent (`for_each`), each parent belongs to the shard that owns its key.
/// - A resource that others fan out over belongs to every shard, with all its parents: each shard has to know which parents there are.
public struct Shard: Sendable, Hashable, LosslessStringConvertible {
    /// From 1 to ``count``.
    public let index: Int
    /// The number of shards.
    public let count: Int

    /// The largest ``count``: weights are computed for each shard.
    package static let mostShards = 10_000

    /// Nil if there is no such shard.
    public init?(index: Int, count: Int) {
        guard (1...Self.mostShards).contains(count), (1...count).contains(index) else { return nil }
        (self.index, self.count) = (index, count)
    }

    /// Reads `2/4`; nil for any other text.
    public init?(_ description: String) {
        guard let parts = description.wholeMatch(of: /([0-9]{1,5})\/([0-9]{1,5})/),
            let index = Int(parts.1), let count = Int(parts.2)
        else { return nil }
        self.init(index: index, count: count)
    }

    /// `2/4`
    public var description: String { "\(index)/\(count)" }

    /// The shard that owns a name, from 1 to ``count``.
    package func owner(of name: String) -> Int {
        let seed = Self.hash(name)
        var owner = (index: 1, weight: Self.weight(of: 1, seed))
        for index in 1...count {
            let weight = Self.weight(of: index, seed)
            // Equal weights leave it to the lower index.
            if weight > owner.weight { owner = (index, weight) }
        }
        return owner.index
    }

    /// Whether it fetches the listing of a parent.
    package func owns(parent key: String, of resource: String) -> Bool { owner(of: "\(resource)/\(key)") == index }

    /// Whether it fetches the resource, or parents of it.
    ///
    /// - Parameter resources: all that are declared. Those that others fan out over belong to every shard, also with parents of
    ///   their own: a child could be nobody's if its parent were stored by another shard only.
    package func fetches(_ resource: AnyResource, among resources: [AnyResource]) -> Bool {
        resource.forEach != nil || Self.isParent(resource, among: resources) || owner(of: resource.name) == index
    }

    /// The shard that decides about the parents of a resource; nil if this station lists all of them.
    package func dividing(_ resource: AnyResource, among resources: [AnyResource]) -> Shard? {
        resource.forEach == nil || Self.isParent(resource, among: resources) ? nil : self
    }

    private static func isParent(_ resource: AnyResource, among resources: [AnyResource]) -> Bool {
        resources.contains { $0.forEach?.resource == resource.name }
    }

    // MARK: Weights

    /// FNV-1a (RFC 9923), 64 bits.
    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The number at this index in the sequence of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
    /// generators", OOPSLA 2014).
    private static func weight(of index: Int, _ seed: UInt64) -> UInt64 {
        var mixed = seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
