namespace Shop.Store
{
    public partial class Item
    {
        public string Describe() => Name + Price();
    }
}
