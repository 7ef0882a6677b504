// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Data of a small weather service: stations and their readings. The same seed gives the same bytes on every machine.
package struct DemoData: Sendable {
    /// 240 stations with nested coordinates and names in several scripts.
    package let stations: Dataset
    /// Some thousand readings of the stations, stamped by `read_at`, the latest last.
    package let readings: Dataset

    private static let places = [
        "Łódź", "Ærøskøbing", "São Paulo", "Zürich", "北京", "Київ", "Αθήνα", "القاهرة", "Reykjavík", "Oulu", "Galway",
        "Ōsaka", "Nairobi", "Cusco", "Hà Nội", "Québec",
    ]
    private static let sites = ["Harbour", "Airport", "Observatory", "Ridge", "Old Town", "Marsh", "Dam", "University"]

    /// - Parameters:
    ///   - seed: determines the data.
    ///   - readings: the number of readings.
    package init(seed: UInt64 = 1, readings count: Int = 3_000) {
        var random = SeededGenerator(seed: seed)
        stations = Dataset((1...240).map { Self.station($0, &random) })
        readings = Dataset((0..<max(count, 0)).map { Self.reading($0, &random) })
    }

    /// The complete service: `/stations` by link header, `/readings` by cursor and `since`, writes to `/readings`.
    package var routes: [any OriginRoute] {
        [
            RecordListing("/stations", of: stations, paging: .link, pageSize: 50),
            RecordListing(
                "/readings", of: readings, paging: .cursor(member: ["next_cursor"]), pageSize: 500,
                sinceParameter: "since"),
            RecordWrites("/readings", to: readings, firstID: 1_000_000),
        ]
    }

    private static func station(_ id: Int, _ random: inout SeededGenerator) -> Dataset.Record {
        let name =
            "\(places[Int.random(in: 0..<places.count, using: &random)]) "
            + "\(sites[Int.random(in: 0..<sites.count, using: &random)]) \(id)"
        let latitude = decimal(Int.random(in: -80_000...80_000, using: &random), digits: 3)
        let longitude = decimal(Int.random(in: -180_000...179_999, using: &random), digits: 3)
        let altitude =
            Int.random(in: 0..<5, using: &random) == 0 ? "null" : "\(Int.random(in: -5...4_200, using: &random))"
        let json = """
            {"id":\(id),"name":"\(name)","position":{"lat":\(latitude),"lon":\(longitude),"altitude_m":\(altitude)},\
            "active":\(Int.random(in: 0..<10, using: &random) != 0),"sensors":["temperature","humidity"]}
            """
        return Dataset.Record(key: String(id), json: json)
    }

    private static func reading(_ index: Int, _ random: inout SeededGenerator) -> Dataset.Record {
        let station = Int.random(in: 1...240, using: &random)
        let temperature = decimal(Int.random(in: -320...410, using: &random), digits: 1)
        let humidity = Int.random(in: 5...100, using: &random)
        let stamp = time(minutes: index)
        let note = Int.random(in: 0..<25, using: &random) == 0 ? #","note":"sensor cleaned, “as new”""# : ""
        let json = """
            {"id":\(index + 1),"station_id":\(station),"read_at":"\(stamp)",\
            "temperature_c":\(temperature),"humidity_pct":\(humidity)\(note)}
            """
        return Dataset.Record(key: String(index + 1), json: json, stamp: stamp)
    }

    /// `number` with a decimal point before its last `digits` digits.
    private static func decimal(_ number: Int, digits: Int) -> String {
        let text = String(abs(number))
        let padded = String(repeating: "0", count: max(digits + 1 - text.count, 0)) + text
        return (number < 0 ? "-" : "") + padded.dropLast(digits) + "." + padded.suffix(digits)
    }

    /// An RFC 3339 time, counted from the first minute of May 2024.
    private static func time(minutes: Int) -> String {
        Date(timeIntervalSince1970: Double((19_844 * 1440 + minutes) * 60)).ISO8601Format()
    }
}
