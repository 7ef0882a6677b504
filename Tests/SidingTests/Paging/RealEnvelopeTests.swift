// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// First pages as well-known origins write them, each with five records of fifteen.
@Suite struct RealEnvelopeTests {
    private struct Page {
        var origin: String
        var records: String
        var body: String
    }

    private static let pages = [
        Page(origin: "GNews", records: "$.articles", body: #"{"totalArticles":15,"articles":ITEMS}"#),
        Page(
            origin: "MusicBrainz", records: "$.releases",
            body: #"{"release-count":15,"release-offset":0,"releases":ITEMS}"#),
        Page(
            origin: "GeoServer", records: "$.features",
            body: #"{"type":"FeatureCollection","totalFeatures":15,"features":ITEMS}"#),
        Page(
            origin: "Scopus", records: #"$."search-results".entry"#,
            body:
                ##"{"search-results":{"opensearch:totalResults":"15","link":[{"@ref":"next","@href":"/x?s=5"}],"entry":ITEMS}}"##
        ),
        Page(
            origin: "Europe PMC", records: "$.resultList.result",
            body: #"{"version":"6","hitCount":15,"resultList":{"result":ITEMS}}"#),
        Page(
            origin: "New York Times", records: "$.response.docs",
            body: #"{"status":"OK","response":{"docs":ITEMS,"meta":{"hits":15,"offset":0,"time":5}}}"#),
        Page(
            origin: "API Platform", records: "$.member",
            body: #"{"@context":"/c","member":ITEMS,"totalItems":15,"view":{"@id":"/b?page=1","next":"/b?page=2"}}"#),
        Page(
            origin: "Hydra", records: #"$."hydra:member""#,
            body: #"{"hydra:member":ITEMS,"hydra:view":{"hydra:last":"/b?page=3","hydra:next":"/b?page=2"}}"#),
        Page(origin: "World Bank", records: "$[1]", body: #"[{"page":1,"pages":3,"per_page":"5","total":15},ITEMS]"#),
        Page(
            origin: "Last.fm", records: "$.artists.artist",
            body: #"{"artists":{"artist":ITEMS,"@attr":{"page":"1","perPage":"5","totalPages":"3","total":"15"}}}"#),
        Page(
            origin: "Flickr", records: "$.photos.photo",
            body: #"{"photos":{"page":1,"pages":3,"perpage":5,"total":15,"photo":ITEMS},"stat":"ok"}"#),
        Page(
            origin: "PubMed", records: "$.esearchresult.list",
            body: #"{"esearchresult":{"count":"15","retmax":"5","retstart":"0","list":ITEMS}}"#),
        Page(origin: "OData 2", records: "$.d.results", body: #"{"d":{"results":ITEMS,"__count":"15"}}"#),
        Page(
            origin: "Reddit", records: "$.data.children",
            body: #"{"kind":"Listing","data":{"after":"t3_x","dist":5,"children":ITEMS}}"#),
        Page(
            origin: "Asana", records: "$.data",
            body: #"{"data":ITEMS,"next_page":{"offset":"eyJ","path":"/x?offset=eyJ"}}"#),
        Page(
            origin: "Crossref", records: "$.message.items",
            body: #"{"status":"ok","message":{"total-results":15,"items-per-page":5,"items":ITEMS}}"#),
        Page(
            origin: "Discogs", records: "$.releases",
            body:
                #"{"pagination":{"per_page":5,"pages":3,"page":1,"urls":{"last":"/x?page=3"},"items":15},"releases":ITEMS}"#
        ),
        Page(
            origin: "Xero", records: "$.Invoices",
            body: #"{"pagination":{"page":1,"pageSize":5,"pageCount":3,"itemCount":15},"Invoices":ITEMS}"#),
        Page(
            origin: "QuickBooks", records: "$.QueryResponse.Invoice",
            body: #"{"QueryResponse":{"Invoice":ITEMS,"startPosition":1,"maxResults":5,"totalCount":15}}"#),
        Page(
            origin: "Pipedrive", records: "$.data",
            body:
                #"{"data":ITEMS,"additional_data":{"pagination":{"start":0,"limit":5,"more_items_in_collection":true}}}"#
        ),
        Page(
            origin: "openFDA", records: "$.results",
            body: #"{"meta":{"results":{"skip":0,"limit":5,"total":15}},"results":ITEMS}"#),
        Page(
            origin: "Eventbrite", records: "$.events", body: #"{"pagination":{"has_more_items":true},"events":ITEMS}"#),
        Page(
            origin: "Zoom", records: "$.users",
            body: #"{"page_count":3,"page_number":1,"page_size":5,"total_records":15,"users":ITEMS}"#),
        Page(
            origin: "Cloudflare", records: "$.result",
            body: #"{"result":ITEMS,"result_info":{"page":1,"per_page":5,"total_pages":3,"count":5,"total_count":15}}"#),
        Page(
            origin: "DigitalOcean", records: "$.droplets",
            body: #"{"droplets":ITEMS,"links":{"pages":{"next":"/x?page=2"}}}"#),
        Page(
            origin: "DynamoDB", records: "$.Items",
            body: #"{"Items":ITEMS,"Count":5,"LastEvaluatedKey":{"id":{"S":"x"}}}"#),
        Page(origin: "Typesense", records: "$.hits", body: #"{"found":15,"hits":ITEMS,"out_of":1000,"page":1}"#),
        Page(
            origin: "Algolia", records: "$.hits",
            body: #"{"hits":ITEMS,"nbHits":15,"page":0,"nbPages":3,"hitsPerPage":5}"#),
        Page(
            origin: "Meilisearch", records: "$.hits",
            body: #"{"hits":ITEMS,"estimatedTotalHits":15,"limit":5,"offset":0}"#),
        Page(origin: "Solr", records: "$.response.docs", body: #"{"response":{"numFound":15,"start":0,"docs":ITEMS}}"#),
        Page(
            origin: "Intercom", records: "$.data",
            body:
                #"{"data":ITEMS,"pages":{"type":"pages","next":{"starting_after":"WzE","page":2},"page":1,"per_page":5}}"#
        ),
        Page(
            origin: "Spring", records: "$.content",
            body: #"{"content":ITEMS,"page":{"size":5,"totalElements":15,"totalPages":3,"number":0}}"#),
        Page(
            origin: "Laravel", records: "$.data",
            body: #"{"data":ITEMS,"current_page":1,"from":1,"to":5,"per_page":5,"last_page":3}"#),
        Page(
            origin: "Rick and Morty", records: "$.results",
            body: #"{"info":{"count":15,"pages":3,"next":null,"prev":null},"results":ITEMS}"#),
        Page(
            origin: "FHIR", records: "$.entry",
            body: #"{"resourceType":"Bundle","total":15,"link":[{"relation":"self","url":"/x"}],"entry":ITEMS}"#),
        Page(origin: "Mautic", records: "$.contacts", body: #"{"total":"15","contacts":ITEMS}"#),
        Page(
            origin: "Amazon", records: "$.Contents", body: #"{"IsTruncated":"true","NextMarker":"x","Contents":ITEMS}"#),
        Page(
            origin: "Google Drive", records: "$.files",
            body: #"{"kind":"list","incompleteSearch":false,"nextPageToken":"~!x","files":ITEMS}"#),
    ]

    @Test(arguments: pages.map(\.origin))
    func `a first page of a well-known origin is never the whole listing`(_ origin: String) async throws {
        let page = try #require(Self.pages.first { $0.origin == origin })
        var bench = try await ListingEndTests.bench()
        bench.resource.records = try JSONPath(parsing: page.records)
        bench.origin.set("/posts", ListingEndTests.answer(page.body, 1...5))
        let report = try await bench.sync()
        #expect(report.result.outcome != .saved, "\(report.result.notes)")
        #expect(try await bench.state().completedAt == nil)
    }
}
