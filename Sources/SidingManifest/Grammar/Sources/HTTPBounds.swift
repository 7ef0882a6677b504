internal import SidingJSON
internal import Siding
internal import SidingChain

/// What `http:` says, which the library keeps in two places.
struct HTTPBounds: Sendable {
    var transport = TransportSettings()
    var json = JSONLimits()
}
