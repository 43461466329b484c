import Base
import OwnerScreens

extension ConsoleNotification {
  init?(_ notification: OwnerNotification, language: Language, columns: Int) {
    let lines = notification.report(language: language, columns: columns).lines
    switch (notification.prompt, notification.isOpenPrompt) {
    case (let number?, true): self = .promptOpened(number: number, choices: notification.choices, lines: lines)
    case (let number?, false): self = .promptClosed(number: number, isByOwner: notification.isByOwner, lines: lines)
    case (nil, _): self = .notified(lines)
    }
  }
}
