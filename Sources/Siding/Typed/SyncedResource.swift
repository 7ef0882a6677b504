/// Anything that can be synced: a typed ``Resource`` or an ``AnyResource``, side by side in one list.
public protocol SyncedResource: Sendable {
    /// The resource as the engine needs it.
    var untyped: AnyResource { get }
}

extension SyncedResource {
    public var name: String { untyped.name }
}

extension AnyResource: SyncedResource {
    public var untyped: AnyResource { self }
}
