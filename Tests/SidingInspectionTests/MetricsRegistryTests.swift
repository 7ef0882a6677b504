// SPDX-License-Identifier: Apache-2.0
import Metrics
import Siding
import Testing

@testable import SidingInspection

/// What a process counts and times, as text.
@Suite struct MetricsRegistryTests {
    @Test func `counters, gauges, summaries and timers are printed as Prometheus reads them`() throws {
        let registry = MetricsRegistry()
        Counter(label: "a_total", dimensions: [("source", "api")], factory: registry).increment(by: 2)
        Counter(label: "a_total", dimensions: [("source", "api")], factory: registry).increment()
        Gauge(label: "b", factory: registry).record(3)
        Gauge(label: "b", factory: registry).record(1.5)
        Meter(label: "c", factory: registry).set(4)
        let recorder = Recorder(label: "d", factory: registry)
        for value in [1, 2, 3] { recorder.record(value) }
        let timer = Metrics.Timer(label: "e_seconds", factory: registry)
        timer.recordMilliseconds(20)
        timer.recordSeconds(7_200)
        let read = try Exposition(registry.text())
        #expect(
            read.types == [
                "a_total": "counter", "b": "gauge", "c": "gauge", "d": "summary", "e_seconds": "histogram",
                "siding_metrics_dropped_total": "counter",
            ])
        #expect(read.values[#"a_total{source="api"}"#] == 3)
        #expect(read.values["b"] == 1.5 && read.values["c"] == 4)
        #expect(read.values["d_sum"] == 6 && read.values["d_count"] == 3)
        #expect(read.values["e_seconds_sum"] == 7_200.02 && read.values["e_seconds_count"] == 2)
        #expect(read.values[#"e_seconds_bucket{le="0.01"}"#] == 0)
        #expect(read.values[#"e_seconds_bucket{le="0.05"}"#] == 1)
        #expect(read.values[#"e_seconds_bucket{le="1800"}"#] == 1)
        #expect(read.values[#"e_seconds_bucket{le="+Inf"}"#] == 2)
    }

    @Test func `the order of the text does not depend on the order of the calls`() {
        let names = ["b_total", "a_total", "c_total"]
        let texts = [names, names.reversed()].map { names in
            let registry = MetricsRegistry()
            for name in names {
                for source in name == "a_total" ? ["y", "x"] : ["x", "y"] {
                    Counter(label: name, dimensions: [("z", "1"), ("source", source)], factory: registry).increment()
                }
            }
            return registry.text()
        }
        #expect(texts[0] == texts[1])
    }

    @Test func `labels are escaped, and names made valid`() throws {
        let registry = MetricsRegistry()
        let value = "a \"quote\", a \\ and a\nline"
        Counter(label: "http.requests-total", dimensions: [("1st.label", value)], factory: registry).increment()
        Counter(label: "x_total", dimensions: [("a", "1"), ("b", "\\\"")], factory: registry).increment()
        let text = registry.text().replacing("http_requests_total", with: "http_total")
        let read = try Exposition(text)
        #expect(read.labels.values.contains(["_1st_label": value]))
        #expect(read.labels.values.contains(["a": "1", "b": "\\\""]))
    }

    @Test func `a quote with an accent, and CR LF, are escaped, though each is one character of Swift`() {
        let registry = MetricsRegistry()
        Counter(label: "a_total", dimensions: [("a", "\"\u{301}\\\u{301}\r\n")], factory: registry).increment()
        let lines = registry.text().utf8.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(lines.contains("a_total{a=\"\\\"\u{301}\\\\\u{301}\r\\n\"} 1"), "\(lines)")
    }

    @Test func `of too many series the further ones are dropped and counted`() throws {
        let registry = MetricsRegistry(limit: 100)
        for number in 0..<105 {
            Counter(label: "a_total", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        // Known ones go on.
        Counter(label: "a_total", dimensions: [("n", "0")], factory: registry).increment()
        let read = try Exposition(registry.text())
        #expect(read.values.count == 101)
        #expect(read.values["siding_metrics_dropped_total"] == 5)
        #expect(read.values[#"a_total{n="0"}"#] == 2)
    }

    @Test func `a name has the kind of its first instrument, and the others are dropped`() throws {
        let registry = MetricsRegistry()
        Counter(label: "a_total", factory: registry).increment()
        Gauge(label: "a_total", factory: registry).record(9)
        let read = try Exposition(registry.text())
        #expect(read.values == ["a_total": 1, "siding_metrics_dropped_total": 1])
    }

    @Test func `an instrument that the program destroys is forgotten`() throws {
        let registry = MetricsRegistry()
        let counter = Counter(label: "a_total", factory: registry)
        counter.increment()
        counter.destroy()
        #expect(try Exposition(registry.text()).values == ["siding_metrics_dropped_total": 0])
    }

    @Test func `concurrent calls lose nothing`() async throws {
        let registry = MetricsRegistry()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 { Counter(label: "a_total", factory: registry).increment() }
                }
            }
        }
        #expect(try Exposition(registry.text()).values["a_total"] == 4_000)
    }

    @Test func `Siding's own instruments have their help`() throws {
        let registry = MetricsRegistry()
        for instrument in Instrument.allCases {
            _ = registry.makeCounter(label: instrument.rawValue, dimensions: [])
        }
        let text = registry.text()
        for instrument in Instrument.allCases {
            #expect(text.contains("# HELP \(instrument.rawValue) \(instrument.help)\n"))
        }
    }
}
