/// Values that are changed by copying, so that nobody changes what somebody else holds.
///
/// ```swift
/// let patient = RetryPolicy().with(\.retries, 3)
/// ```
///
/// Declare it for a value type of your own to get ``with(_:_:)``; there is nothing to implement.
public protocol Changeable {}

extension Changeable {
    /// A copy in which `property` is `value`; this one stays as it is.
    public func with<Value>(_ property: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: property] = value
        return copy
    }
}

extension Backoff: Changeable {}
extension ChainContext: Changeable {}
extension Failure: Changeable {}
extension HTTPFailure: Changeable {}
extension OutgoingRequest: Changeable {}
extension QueryEncoding: Changeable {}
extension Request: Changeable {}
extension Response: Changeable {}
extension RetryPolicy: Changeable {}
extension Route: Changeable {}
extension TransportSettings: Changeable {}
