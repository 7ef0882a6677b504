// SPDX-License-Identifier: Apache-2.0
internal import ExampleConfigs

/// A commented example config, as `siding init` writes it. The files are in `Examples/Configs`.
package struct ExampleConfig: Sendable, Hashable {
    /// The example's name on the command line.
    package let name: String
    /// A one-line description.
    package let summary: String
    /// The text of the file.
    package let text: String

    /// Two small resources of a public test service.
    package static let blog = ExampleConfig(
        name: "blog", summary: "posts and comments of jsonplaceholder.typicode.com; works unchanged",
        text: ExampleConfigs.blog)

    /// Incremental listings with pagination, and a token if there is one.
    package static let github = ExampleConfig(
        name: "github", summary: "issues and releases of a public repository, with an optional token",
        text: ExampleConfigs.github)

    /// All examples, the default one first.
    package static let all =
        [
            blog, github,
            ExampleConfig(
                name: "gitlab", summary: "your projects, and the issues of one of them", text: ExampleConfigs.gitlab),
            ExampleConfig(
                name: "hackernews", summary: "new stories of Hacker News; works unchanged",
                text: ExampleConfigs.hackernews),
            ExampleConfig(
                name: "hubspot", summary: "contacts and companies", text: ExampleConfigs.hubspot),
            ExampleConfig(
                name: "jira", summary: "issues and projects of Jira Cloud", text: ExampleConfigs.jira),
            ExampleConfig(
                name: "odata", summary: "orders and products of Northwind, for any OData service; works unchanged",
                text: ExampleConfigs.odata),
            ExampleConfig(
                name: "pokeapi", summary: "Pokémon and berries; works unchanged", text: ExampleConfigs.pokeapi),
            ExampleConfig(
                name: "shopify", summary: "orders with their lines, and customers", text: ExampleConfigs.shopify),
            ExampleConfig(
                name: "stripe", summary: "customers, subscriptions and events", text: ExampleConfigs.stripe),
            ExampleConfig(
                name: "zendesk", summary: "tickets by incremental export, and users", text: ExampleConfigs.zendesk),
            ExampleConfig(
                name: "local", summary: "a service on this machine: a template with the common settings",
                text: ExampleConfigs.local),
        ]

    /// The default of `siding init`; it works unchanged.
    package static let standard = blog

    /// The example with that name; nil if there is none.
    package static func named(_ name: String) -> ExampleConfig? { all.first { $0.name == name } }
}
