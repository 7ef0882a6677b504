// SPDX-License-Identifier: Apache-2.0
/// Lets a value type be changed by copying, so that other holders of the value are not affected.
///
/// ```swift
/// let patient = RetryPolicy().with(\.retries, 3)
/// ```
///
/// Declare conformance for your own value type to get ``with(_:_:)``; there is nothing to implement.
public protocol Changeable {}

extension Changeable {
    /// A copy in which `property` is `value`; the original is unchanged.
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
extension ChainRequest: Changeable {}
extension ChainResponse: Changeable {}
extension RetryPolicy: Changeable {}
extension RequestRoute: Changeable {}
extension TransportSettings: Changeable {}
