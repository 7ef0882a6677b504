// SPDX-License-Identifier: Apache-2.0
import AllocationCounter

/// What one call cost: processor time of the whole process, and blocks of memory.
struct Cost {
    var nanoseconds: Double
    var allocations: Double

    func less(_ other: Cost) -> Cost {
        Cost(nanoseconds: nanoseconds - other.nanoseconds, allocations: allocations - other.allocations)
    }
}

/// Something that is called again and again.
struct Subject {
    let name: String
    let call: () async throws -> Void
}

/// What a subject's calls cost beyond a direct call.
struct Measured {
    let name: String
    /// The median of the differences within each pass: what is quoted.
    let cost: Cost
    /// The difference of the quietest passes. Neighbours on the machine only ever add, so this is what a target is held to.
    let quietest: Cost
}

/// Measures subjects beside each other, as a shared machine is as slow in one moment as another program wants.
struct Measurement {
    var passes = 11
    var calls = 20_000

    /// The cost of `direct`, and what each of `subjects` adds to it.
    func run(_ direct: Subject, _ subjects: [Subject]) async throws -> (direct: Measured, added: [Measured]) {
        for subject in [direct] + subjects { _ = try await cost(of: subject, calls: calls / 10) }
        var base: [Cost] = []
        var whole = [[Cost]](repeating: [], count: subjects.count)
        for _ in 0..<passes {
            let plain = try await cost(of: direct, calls: calls)
            base.append(plain)
            for (place, subject) in subjects.enumerated() {
                whole[place].append(try await cost(of: subject, calls: calls))
            }
        }
        let added = zip(subjects, whole).map { subject, costs in
            Measured(
                name: subject.name, cost: Self.median(zip(costs, base).map { $0.less($1) }),
                quietest: Self.least(costs).less(Self.least(base)))
        }
        return (Measured(name: direct.name, cost: Self.median(base), quietest: Self.least(base)), added)
    }

    private func cost(of subject: Subject, calls: Int) async throws -> Cost {
        let (time, blocks) = (allocation_counter_cpu_nanoseconds(), allocation_counter_value())
        for _ in 0..<calls { try await subject.call() }
        let spent = allocation_counter_cpu_nanoseconds() - time
        return Cost(
            nanoseconds: Double(spent) / Double(calls),
            allocations: Double(allocation_counter_value() - blocks) / Double(calls))
    }

    private static func least(_ costs: [Cost]) -> Cost {
        Cost(
            nanoseconds: costs.map(\.nanoseconds).min() ?? 0, allocations: costs.map(\.allocations).min() ?? 0)
    }

    private static func median(_ costs: [Cost]) -> Cost {
        let middle = costs.count / 2
        return Cost(
            nanoseconds: costs.map(\.nanoseconds).sorted()[middle],
            allocations: costs.map(\.allocations).sorted()[middle])
    }
}
