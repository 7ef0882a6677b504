// SPDX-License-Identifier: Apache-2.0
/// The configs beside this file, as they stand: what `siding init --example NAME` writes.
///
/// A file of its own each, so that they can be read on the web; embedded, so that the executable stands alone.
public enum ExampleConfigs {
    public static let blog = text(PackageResources.blog_yaml)
    public static let github = text(PackageResources.github_yaml)
    public static let gitlab = text(PackageResources.gitlab_yaml)
    public static let hackernews = text(PackageResources.hackernews_yaml)
    public static let hubspot = text(PackageResources.hubspot_yaml)
    public static let jira = text(PackageResources.jira_yaml)
    public static let local = text(PackageResources.local_yaml)
    public static let odata = text(PackageResources.odata_yaml)
    public static let pokeapi = text(PackageResources.pokeapi_yaml)
    public static let shopify = text(PackageResources.shopify_yaml)
    public static let stripe = text(PackageResources.stripe_yaml)
    public static let zendesk = text(PackageResources.zendesk_yaml)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
