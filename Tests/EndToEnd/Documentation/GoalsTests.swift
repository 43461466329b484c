import Foundation
import Testing

/// Compares the goals of `Scripts/bench` with those that the pages show.
@Suite struct GoalsTests {
  /// A row of `goals.tsv` that a page shows.
  private struct Goal {
    /// The beginning of the row of the page's table.
    let row: String
    /// The number in the bound. Nil if the bound is the figure of another program.
    let number: Double?
  }

  /// The recorded drives are not in the repository, so the bench has no goals for them.
  private static let recorded = ["nagoya", "F9K"]

  @Test func `a page shows the goals of the bench`() throws {
    let goals = try Self.goals()
    var used = Set<String>()
    for page in Page.all {
      var hasGoals = false
      for line in page.text.split(separator: "\n") {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard line.hasPrefix("|"), let name = cells.first, let shown = cells.last else {
          hasGoals = false
          continue
        }
        if shown == "goal" { hasGoals = true }
        let aim = shown.matches(of: /[0-9.]+/).compactMap { Double($0.0) }
        guard hasGoals, !["goal", "---", ""].contains(shown), !Self.recorded.contains(where: name.hasPrefix) else {
          continue
        }
        let rows = goals.filter { name.hasPrefix($0.row) }
        #expect(!rows.isEmpty, "\(page.path): no goal of the bench has the row \(name)")
        #expect(Set(aim) == Set(rows.compactMap(\.number)), "\(page.path): \(name)")
        used.formUnion(rows.map(\.row))
      }
    }
    #expect(Set(goals.map(\.row)).subtracting(used) == [], "no page has these rows")
  }

  private static func goals() throws -> [Goal] {
    let lines = try Page.text(of: "Tests/Benchmarks/goals.tsv").split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    let names = try #require(lines.first)
    let (bound, page) = (try #require(names.firstIndex(of: "bound")), try #require(names.firstIndex(of: "page")))
    return lines.dropFirst().filter { !$0[page].isEmpty }.map { row in
      Goal(row: row[page], number: row[bound].split(separator: " ").dropFirst().first.flatMap { Double($0) })
    }
  }
}
