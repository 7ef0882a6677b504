// SPDX-License-Identifier: Apache-2.0

// The one import of a program: the store, the sync and the queue, models, chains, the transport, schedules and credentials,
// and the types of HTTP that they are declared with. `SidingKit.Record` names a type that the program has, too.
@_exported public import HTTPTypes
@_exported public import Siding
@_exported public import SidingChain
@_exported public import SidingCredentials
@_exported public import SidingHTTP
@_exported public import SidingJSON
@_exported public import SidingModels
@_exported public import SidingNetwork
@_exported public import SidingNodes
@_exported public import SidingSchedule
