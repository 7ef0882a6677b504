// SPDX-License-Identifier: Apache-2.0
extension KeyEvidence {
    /// The keys of a write.
    static let writes = """
        Examples/Configs/gitlab.yaml
          writes.NAME.update.method
        Examples/Configs/hubspot.yaml
          writes.NAME.update.answer
        Examples/Configs/jira.yaml
          writes.NAME.create.answer
          writes.NAME.update.body
        Examples/Configs/zendesk.yaml
          writes.NAME.record
        Tests/SidingCLITests/Queue/QueueExitTests.swift
          writes.NAME.coalesce
        Tests/SidingCLITests/Queue/QueueProbeTests.swift
          writes.NAME.unknown
          writes.NAME.unknown.after
          writes.NAME.unknown.otherwise
          writes.NAME.unknown.probe
          writes.NAME.unknown.probe.mark
          writes.NAME.unknown.probe.path
          writes.NAME.unknown.probe.query
          writes.NAME.unknown.probe.records
        Tests/SidingCLITests/Queue/SendTests.swift
          writes.NAME.update.path
        Tests/SidingCLITests/Queue/WriteDeclarationTests.swift
          writes.NAME.conflict
          writes.NAME.conflict.on
          writes.NAME.conflict.then
          writes.NAME.create
          writes.NAME.create.id
          writes.NAME.create.method
          writes.NAME.create.path
          writes.NAME.delete
          writes.NAME.delete.gone_is_done
          writes.NAME.delete.if_match
          writes.NAME.delete.method
          writes.NAME.delete.path
          writes.NAME.idempotency
          writes.NAME.idempotency.header
          writes.NAME.idempotency.lifetime
          writes.NAME.lane
          writes.NAME.source
          writes.NAME.update
          writes.NAME.update.if_match
        """
}
