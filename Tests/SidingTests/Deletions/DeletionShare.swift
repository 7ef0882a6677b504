// SPDX-License-Identifier: Apache-2.0
/// The rule of how many records may go at once, said a second time for the models: none where nothing is left or the share is 0;
/// else up to ten, but no more than half of what there was, or the share of it.
struct DeletionShare {
    /// What is left at the origin.
    let listed: Int
    let share: Double

    /// What is wrong with how many went and how many were blocked; nil where the rule was kept.
    func fault(deleted: Int, blocked: Int) -> String? {
        let all = listed + deleted + blocked
        let most = listed == 0 || share == 0 ? 0 : max(min(10, all / 2), Int(Double(all) * share))
        guard blocked > 0 ? blocked <= most : deleted > most else { return nil }
        return "of \(all) records \(deleted) went and \(blocked) were blocked, where \(most) may go"
    }
}
