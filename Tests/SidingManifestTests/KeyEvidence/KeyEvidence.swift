// SPDX-License-Identifier: Apache-2.0
/// Where it is shown what each key of the config does, at the origin or in the store: the file of a test, or an example that is
/// run on its tape, and below it the keys.
///
/// What the same words say in two places, such as the conditions of a source's and of a resource's `errors`, is shown of one.
enum KeyEvidence {
    static let text = [others, sources, resources, writes, publish].joined(separator: "\n")

    /// The keys that are of no source, resource or write.
    private static let others = """
        Tests/SidingCLITests/Setup/ConfigErrorTests.swift
          version
        Tests/SidingCLITests/Database/DurabilityTests.swift
          database.synchronous
        Tests/SidingCLITests/Database/SpaceTests.swift
          keep
          keep.deleted
          keep.done
          keep.runs
        Tests/SidingCLITests/Setup/FirstStepsTests.swift
          database.path
        Tests/SidingCLITests/Queue/SendTests.swift
          writes
        Tests/SidingCLITests/Sandbox/Service.swift
          database
          resources
          sources
        Tests/SidingCLITests/Notify/NotifyTests.swift
          notify
          notify[].command
          notify[].headers
          notify[].headers.NAME.command
          notify[].headers.NAME.env
          notify[].headers.NAME.file
          notify[].on
          notify[].ping
          notify[].ping.command
          notify[].ping.env
          notify[].ping.file
          notify[].url
          notify[].url.command
          notify[].url.env
          notify[].url.file
        Tests/SidingManifestTests/Grammar/NotifyGrammarTests.swift
          notify[].queued_longer_than
          notify[].timeout
        """
}
