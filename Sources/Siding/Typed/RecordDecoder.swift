internal import FoundationEssentials

/// Decodes records with one shared decoder, as making a decoder costs more than using it.
struct RecordDecoder {
    private let decoder: JSONDecoder

    init(_ coding: RecordCoding) {
        decoder = coding.decoder()
    }

    func decode<Model: Decodable>(_ type: Model.Type, _ record: Record) throws(RecordError) -> Model {
        do {
            return try decoder.decode(type, from: Data(record.body))
        } catch {
            throw .undecodable(UndecodableRecord(record, as: type, error))
        }
    }
}
