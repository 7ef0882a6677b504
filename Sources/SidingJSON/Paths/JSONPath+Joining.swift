extension JSONPath {
    /// This path and one step more.
    public func appending(_ component: Component) -> JSONPath {
        JSONPath(components: withoutEach.components + [component])
    }

    /// This path, and from there on another one.
    public func appending(_ path: JSONPath) -> JSONPath {
        path.components.isEmpty ? self : JSONPath(components: withoutEach.components + path.components)
    }
}
