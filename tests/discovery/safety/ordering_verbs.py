"""Labels of links that order something, in 15 languages, and labels of links that lead to a page."""

from __future__ import annotations

ORDERS = {
    "en": (
        "Delete, Remove, Archive, Unarchive, Publish, Unpublish, Approve, Reject, Accept, Decline, "
        "Activate, Deactivate, Enable, Disable, Suspend, Resume, Pause, Stop, Start, Restart, Cancel "
        "order, Confirm, Resend invite, Send reminder, Pay now, Refund, Ship, Mark as paid, Mark as "
        "read, Mark all as read, Star, Unstar, Pin, Unpin, Follow, Unfollow, Like, Upvote, Downvote, "
        "Subscribe, Unsubscribe, Block, Unblock, Mute, Ban user, Kick, Promote, Demote, Grant access, "
        "Revoke, Lock, Unlock, Duplicate, Clone, Merge, Close issue, Reopen, Resolve, Assign to me, "
        "Claim, Move up, Move down, Restore, Undo, Reset, Clear, Empty trash, Purge, Flush cache, Sync "
        "now, Rebuild index, Run now, Retry, Trigger, Deploy, Roll back, Log out, Join, Leave, Vote, Buy "
        "now, Add to cart, Checkout, Regenerate key, Impersonate, Switch user, Force logout, Test "
        "webhook, Snooze, Dismiss alert, Flag, Report abuse, Hide post, Bump, Transfer, Withdraw, "
        "Terminate, Kill"
    ),
    "de": (
        "Löschen, Entfernen, Archivieren, Veröffentlichen, Genehmigen, Ablehnen, Aktivieren, "
        "Deaktivieren, Sperren, Entsperren, Stornieren, Kündigen, Bezahlen, Bestellen, Versenden, "
        "Abmelden, Zurücksetzen, Wiederherstellen, Als gelesen markieren, Freigeben, Bestätigen, "
        "Duplizieren, Beenden, Ausführen, Abonnieren, Abbestellen, Folgen, Verschieben, Teilen, In den "
        "Warenkorb"
    ),
    "fr": (
        "Supprimer, Retirer, Archiver, Publier, Approuver, Refuser, Activer, Désactiver, Bloquer, "
        "Annuler la commande, Payer, Commander, Envoyer, Se déconnecter, Réinitialiser, Restaurer, "
        "Marquer comme lu, Confirmer, Dupliquer, S'abonner, Se désabonner, Suivre, Partager, Ajouter au "
        "panier, Valider"
    ),
    "es": (
        "Eliminar, Quitar, Archivar, Publicar, Aprobar, Rechazar, Activar, Desactivar, Bloquear, "
        "Cancelar pedido, Pagar, Comprar, Enviar, Cerrar sesión, Restablecer, Restaurar, Marcar como "
        "leído, Confirmar, Duplicar, Suscribirse, Seguir, Compartir, Añadir al carrito"
    ),
    "it": (
        "Elimina, Rimuovi, Archivia, Pubblica, Approva, Rifiuta, Attiva, Disattiva, Blocca, Annulla "
        "ordine, Paga, Acquista, Invia, Esci, Reimposta, Ripristina, Segna come letto, Conferma, "
        "Duplica, Iscriviti, Segui, Condividi"
    ),
    "pt": (
        "Excluir, Remover, Arquivar, Publicar, Aprovar, Rejeitar, Ativar, Desativar, Bloquear, Cancelar "
        "pedido, Pagar, Comprar, Enviar, Sair, Redefinir, Restaurar, Marcar como lida, Confirmar, "
        "Duplicar, Assinar, Seguir, Compartilhar"
    ),
    "nl": (
        "Verwijderen, Archiveren, Publiceren, Goedkeuren, Afwijzen, Activeren, Deactiveren, Blokkeren, "
        "Annuleren bestelling, Betalen, Bestellen, Verzenden, Uitloggen, Herstellen, Markeren als "
        "gelezen, Bevestigen, Dupliceren, Abonneren, Volgen, Delen"
    ),
    "pl": (
        "Usuń, Archiwizuj, Opublikuj, Zatwierdź, Odrzuć, Aktywuj, Dezaktywuj, Zablokuj, Anuluj "
        "zamówienie, Zapłać, Kup, Wyślij, Wyloguj, Zresetuj, Przywróć, Oznacz jako przeczytane, "
        "Potwierdź, Obserwuj, Udostępnij"
    ),
    "tr": (
        "Sil, Kaldır, Arşivle, Yayınla, Onayla, Reddet, Etkinleştir, Devre dışı bırak, Engelle, İptal "
        "et, Öde, Satın al, Gönder, Çıkış yap, Sıfırla, Geri yükle, Takip et, Paylaş"
    ),
    "ru": (
        "Удалить, Архивировать, Опубликовать, Одобрить, Отклонить, Активировать, Отключить, "
        "Заблокировать, Отменить заказ, Оплатить, Купить, Отправить, Выйти, Сбросить, Восстановить, "
        "Подтвердить, Подписаться, Поделиться"
    ),
    "ja": (
        "削除, アーカイブ, 公開, 承認, 却下, 有効化, 無効化, ブロック, 注文をキャンセル, 支払う, "
        "購入, 送信, ログアウト, リセット, 復元, 既読にする, 確認, フォロー, 共有"
    ),
    "zh": (
        "删除, 归档, 发布, 批准, 拒绝, 启用, 禁用, 封禁, 取消订单, 支付, 购买, 发送, 退出登录, "
        "重置, 恢复, 标记为已读, 确认, 关注, 分享"
    ),
    "ko": (
        "삭제, 보관, 게시, 승인, 거부, 활성화, 비활성화, 차단, 주문 취소, 결제, 구매, 보내기, "
        "로그아웃, 초기화, 복원, 읽음으로 표시, 확인, 팔로우, 공유"
    ),
    "sv": (
        "Ta bort, Arkivera, Publicera, Godkänn, Avvisa, Aktivera, Inaktivera, Betala, Köp, Skicka, Logga "
        "ut, Följ, Dela"
    ),
    "cs": (
        "Smazat, Odstranit, Archivovat, Publikovat, Schválit, Zamítnout, Zaplatit, Koupit, Odeslat, "
        "Odhlásit, Sdílet"
    ),
}
PAGES = {
    "Users": "/users",
    "Add user": "/users/add",
    "New issue": "/projects/alpha/issues/new",
    "Edit": "/users/3/edit",
    "Edit profile": "/profile/edit",
    "Alice Smith": "/users/3/change/",
    "Change password": "/account/password_change/",
    "Blue lamp": "/item/blue-lamp-18",
    "Order history": "/profile/orders",
    "Comments": "/posts/12/comments",
    "History": "/wiki/17/history",
    "Settings": "/projects/4/settings",
    "Payments": "/payments",
    "Notifications": "/notifications",
    "Help": "/help",
    "View": "/view/3",
    "Show all": "/items?page=2",
    "Members": "/groups/5/members",
    "Passwort ändern": "/konto/passwort",
    "Neue Rechnung": "/rechnungen/neu",
    "How to delete your account and what happens to your data": "/docs/accounts",
    "2": "/items?page=2",
    "Title": "/items?sort=title&order=asc",
    "Sign in": "/login",
    "Create account": "/register",
    "Releases": "/repo/releases",
    "v1.2.3": "/repo/releases/17",
    "Overview": "/servers/9/overview",
    "Log": "/servers/9/log",
    "#4711": "/orders/4711",
    "Details": "/orders/4711/details",
}


def orders() -> list[str]:
    return [label.strip() for text in ORDERS.values() for label in text.split(",")]
