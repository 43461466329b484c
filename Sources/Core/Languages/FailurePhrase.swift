/// The reasons why the gateway refused a command of an owner.
package enum FailurePhrase: Phrase {
  case noSuchApp, noKey, noPage, noSuchChoice, nothingAsked, tooLate
  /// The placeholder `{text}` stands for the number and the text of the question.
  case promptTooRecent
  case locked, tooFast, store, ending, other

  package var texts: Texts {
    switch self {
    case .noSuchApp:
      Texts(
        en: "There is no app “{app}”; apps lists the apps.", de: "Eine App „{app}“ gibt es nicht; apps zeigt die Apps.",
        ja: "「{app}」というアプリはありません。apps で一覧を表示します。", vi: "Không có ứng dụng “{app}”; apps liệt kê chúng.",
        zhHans: "没有应用“{app}”；apps 列出所有应用。")
    case .noKey:
      Texts(
        en: "There is no app “{app}”, or it has no key = true in onefix.toml.",
        de: "Eine App „{app}“ gibt es nicht, oder sie hat kein key = true in onefix.toml.",
        ja: "「{app}」というアプリがないか、onefix.toml に key = true がありません。",
        vi: "Không có ứng dụng “{app}”, hoặc nó không có key = true trong onefix.toml.",
        zhHans: "没有应用“{app}”，或 onefix.toml 中没有 key = true。")
    case .noPage:
      Texts(
        en: "There is no page; add [page] to onefix.toml and restart the gateway.",
        de: "Es gibt keine Seite; [page] in onefix.toml eintragen und das Gateway neu starten.",
        ja: "ページはありません。onefix.toml に [page] を書いて再起動すると使えます。",
        vi: "Không có trang nào; thêm [page] vào onefix.toml rồi khởi động lại.",
        zhHans: "没有页面；在 onefix.toml 中加入 [page] 并重新启动。")
    case .noSuchChoice:
      Texts(
        en: "The question does not accept this answer; prompts shows the possible answers.",
        de: "Die Frage erlaubt diese Antwort nicht; prompts zeigt die möglichen Antworten.",
        ja: "その答えは選べません。prompts で選択肢を表示します。", vi: "Câu hỏi không nhận câu trả lời đó; prompts liệt kê các lựa chọn.",
        zhHans: "该提问不接受此回答；prompts 列出可选的回答。")
    case .nothingAsked:
      Texts(
        en: "No question is open.", de: "Es ist keine Frage offen.", ja: "現在、質問はありません。",
        vi: "Hiện không có câu hỏi nào.", zhHans: "目前没有提问。")
    case .tooLate:
      Texts(
        en: "This question is no longer open.", de: "Diese Frage ist nicht mehr offen.", ja: "その質問はもう終わりました。",
        vi: "Câu hỏi đó không còn mở nữa.", zhHans: "该提问已经结束。")
    case .promptTooRecent:
      Texts(
        en: "This question is new: read it, then answer it by its number: {text}",
        de: "Diese Frage ist neu: bitte lesen, dann mit ihrer Nummer beantworten: {text}",
        ja: "この質問は今出たばかりです。読んでから、番号を付けて答えてください：{text}",
        vi: "Câu hỏi này vừa mới được đưa ra: hãy đọc rồi trả lời kèm số của nó: {text}",
        zhHans: "该提问刚刚提出：请先阅读，再用编号回答：{text}")
    case .locked:
      Texts(
        en: "The gateway is locked; hold the button to unlock it.",
        de: "Das Gateway ist gesperrt; Knopf halten entsperrt es.", ja: "ロック中です。ボタンの長押しで解除します。",
        vi: "Cổng đang khóa; giữ nút để mở khóa.", zhHans: "网关已锁定；长按按钮解锁。")
    case .tooFast:
      Texts(
        en: "Too many commands at once; wait a second.", de: "Zu viele Befehle auf einmal; eine Sekunde warten.",
        ja: "命令が多すぎます。少し待ってください。", vi: "Quá nhiều lệnh cùng lúc; hãy đợi một giây.", zhHans: "命令太多；请稍候一秒。")
    case .store:
      Texts(
        en: "The change could not be saved; the log of onefixd shows the cause.",
        de: "Die Änderung ließ sich nicht speichern; das Protokoll von onefixd nennt die Ursache.",
        ja: "書き込めませんでした。onefixd のログに理由があります。", vi: "Không ghi được; nhật ký của onefixd cho biết lý do.",
        zhHans: "无法写入；onefixd 的日志说明了原因。")
    case .ending:
      Texts(
        en: "The gateway is shutting down.", de: "Das Gateway wird gerade beendet.", ja: "ゲートウェイは終了処理中です。",
        vi: "Cổng đang tắt.", zhHans: "网关正在关闭。")
    case .other:
      Texts(
        en: "The gateway refused: {text}", de: "Das Gateway lehnt ab: {text}", ja: "ゲートウェイが拒否しました：{text}",
        vi: "Cổng từ chối: {text}", zhHans: "网关拒绝：{text}")
    }
  }
}
