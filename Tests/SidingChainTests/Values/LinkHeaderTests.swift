// SPDX-License-Identifier: Apache-2.0
import Testing

import SidingChain

@Suite struct LinkHeaderTests {
    @Test(arguments: [
        (#"<https://a.example/2>; rel="next""#, "https://a.example/2"),
        (#"<https://a.example/1>; rel="prev", <https://a.example/3>; rel="next""#, "https://a.example/3"),
        (#"</p?page=2>;rel=next"#, "/p?page=2"),
        (#"  <a>  ;  REL = "Next"  "#, "a"),
        (#"<a>; rel="prev next last""#, "a"),
        (#"<a>; title="x, <b>; rel=next"; rel="next""#, "a"),
        (#"<a>; title="he said \"no, <b>\""; rel=next"#, "a"),
        (#"<a,b;c>; rel=next"#, "a,b;c"),
        (#"<a>; rel=next; rel=prev"#, "a"),
        (#"<a>; rel=next, <b>; rel=next"#, "a"),
        (#"<a>; rel="next"; type="application/json"; hreflang=en"#, "a"),
        (#",, <a>; rel=next,"#, "a"), ("<a>; rel='next'", "a"), (#"<a>; rel="next"; results="true""#, "a"),
    ])
    func `the target of the first link with the relation is found`(_ field: String, _ target: String) {
        #expect(LinkHeader.target(of: "next", in: field) == target)
    }

    @Test(arguments: [
        "", "<", "<a", "a>; rel=next", "<a>", "<a>; rel", "<a>; rel=", #"<a>; rel="nextish""#,
        #"<a>; rel="prev"; rel="next""#, #"<a>; title="rel=next""#, #"<a>; xrel=next"#, #"<a>; rel="pre;next""#,
        #"<a>; title="<b>; rel=next"#, #"<a>; rel="next"; results="false"; cursor="0:100:0""#,
        "<>; rel=next", #"<>; rel="next", <b>; rel="next""#,
    ])
    func `where no link has the relation there is no target`(_ field: String) {
        #expect(LinkHeader.target(of: "next", in: field) == nil)
    }

    @Test(arguments: [
        (#"</items?p=2; rel="next""#, true), (#"/items?p=2; rel="next""#, true),
        (#"</items?p=2; rel="next", </items?p=9>; rel="last""#, true), ("</items?p=2; rel='next'", true),
        ("rel=next; /items?p=2", true), ("rel = \"next\"", true), ("/items?p=2 REL=NEXT", true),
        (#"/items?p=2; rel="prev next""#, true), ("/items?rel=next; rel=prev", false),
        ("/items; rel=prev title=next", false),
        ("<a>; rel=\"next\"", false), (#"<a>; rel="prev""#, false), (#"<a>; title="rel=next""#, false),
        ("<>; rel=next", false), (#"</a>; rel="prev", <>; rel="next""#, false),
        (#"<a>; rel="next"; results="false""#, false), ("", false), (#"<a>; rel="nextish""#, false),
    ])
    func `an unreadable field about a next page differs from a field without one`(
        _ field: String, _ isUnreadable: Bool
    ) {
        #expect(LinkHeader.isUnreadable("next", in: field) == isUnreadable)
    }
}
