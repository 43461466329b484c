import Console
import Languages
import OwnerVerbs

extension ConsoleNews {
  /// Returns nil if the notification is not for the console.
  init?(_ news: OwnerNews, language: Language, columns: Int) {
    let lines = news.report(language: language, columns: columns).lines
    switch (news.prompt, news.isOpenPrompt) {
    case (let number?, true): self = .promptOpened(number: number, choices: news.choices, lines: lines)
    case (let number?, false): self = .promptClosed(number: number, isByOwner: news.isByOwner, lines: lines)
    case (nil, _): self = .notified(lines)
    }
  }
}
